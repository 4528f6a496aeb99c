"""A task's learning rate schedule: a function of the optimizer and the total steps, checked when called."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau

from vfnb.ground import SpecError
from vfnb.session.calls import takes

_GIVE = "give schedule(optimizer, total_steps), such as lambda optimizer, total: StepLR(optimizer, total // 3)"


@dataclass(frozen=True, slots=True)
class Schedule:
    """A schedule that is stepped once a step.

    Args:
        make: The user's function.
    """

    make: Callable[[Optimizer, int], Any]

    def __call__(self, optimizer: Optimizer, total_steps: int) -> LRScheduler:
        """Make the schedule of an optimizer.

        Args:
            optimizer: The worker's own.
            total_steps: The job's last step.

        Returns:
            The schedule.

        Raises:
            SpecError: If what was made is no schedule, or needs a metric.
        """
        made = self.make(optimizer, total_steps)
        if isinstance(made, ReduceLROnPlateau):
            raise SpecError(
                f"schedule made a ReduceLROnPlateau, which needs a metric each time; {_GIVE} that depends on "
                f"the step alone"
            )
        if not isinstance(made, LRScheduler):
            raise SpecError(f"schedule made a {type(made).__name__}, not a torch LR scheduler; {_GIVE}")
        return made


def schedule_of(schedule: object) -> Schedule | None:
    """Take a task's schedule.

    Args:
        schedule: A function of the optimizer and the total steps, or None.

    Returns:
        The schedule; None for a constant learning rate.

    Raises:
        SpecError: If it is a scheduler already, or cannot be called so.
    """
    if schedule is None:
        return None
    if isinstance(schedule, LRScheduler):
        raise SpecError(f"schedule is a {type(schedule).__name__} of one optimizer; every worker has its own: {_GIVE}")
    if not callable(schedule) or not takes(schedule, 2):
        raise SpecError(f"schedule={schedule!r} cannot be called with (optimizer, total_steps); {_GIVE}")
    return Schedule(schedule)
