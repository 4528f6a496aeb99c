"""Asked-for changes of workers or mapping, from the request to the first step after it."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from vfnb.ground import PlanError
from vfnb.runtime.engine import Policy
from vfnb.runtime.seats import arrange
from vfnb.spec import Device, Mapping, Resized

Answer = Future[Resized | None]


@dataclass(slots=True, kw_only=True)
class Change:
    """A resize (other devices) or a remap (another mapping of the same workers).

    Attributes:
        devices: What to go on with, () for nothing; None for a remap.
        propose: The new mapping from the present one; None for a resize.
        answer: Resolved at the first commit after, or with None where the run ends before.
        joiners: Workers started for it.
        begun: Whether they are.
    """

    devices: tuple[Device, ...] | None = None
    propose: Callable[[Mapping], Mapping] | None = None
    answer: Answer = field(default_factory=Future)
    joiners: list[int] = field(default_factory=list)
    begun: bool = False

    def newcomers(self, present: dict[int, Device]) -> list[Device]:
        """List the devices that need a new worker.

        Args:
            present: The devices of the workers in the mapping.

        Returns:
            The devices.
        """
        return [] if self.devices is None else arrange(present, self.devices)[1]

    def mapping(self, mapping: Mapping, present: dict[int, Device], policy: Policy) -> Mapping:
        """Make the mapping to go on with, from how things are now.

        Args:
            mapping: The present one.
            present: The devices of its workers.
            policy: How to spread blocks.

        Returns:
            The new mapping.

        Raises:
            PlanError: If there is none.
        """
        if self.propose is not None and not present:
            raise PlanError("the job has no workers to map; resize it first")
        if self.propose is not None:
            return self.propose(mapping)
        assert self.devices is not None, "a change is a resize or a remap"
        stay, _ = arrange(present, self.devices)
        # A worker lost since the request leaves its place empty: the job stays smaller until it is resized.
        return policy.spread(mapping, sorted([*stay, *self.joiners]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """A change or a loss whose first commit after is awaited.

    Attributes:
        before: The devices before.
        after: The devices after.
        since: When the last commit before was, or the switch began on a paused run; monotonic seconds.
        answer: Whom to tell; None after a loss.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    since: float
    answer: Answer | None


def devices_of(workers: Sequence[int], present: dict[int, Device]) -> tuple[str, ...]:
    """Name the devices of some workers.

    Args:
        workers: Their ids.
        present: Devices by id.

    Returns:
        Their names, in the order of ids.
    """
    return tuple(str(present[worker]) for worker in sorted(workers))


def settle(answer: "Future[Any]", value: object = None, error: BaseException | None = None) -> None:
    """Resolve a future that somebody may have cancelled.

    Args:
        answer: The future.
        value: Its result.
        error: Or what it raises.
    """
    if answer.done() or not answer.set_running_or_notify_cancel():
        return
    if error is None:
        answer.set_result(value)
    else:
        answer.set_exception(error)
