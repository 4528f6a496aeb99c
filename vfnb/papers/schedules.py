"""Learning rate schedules of papers, as factories that fit `vfnb.Task(schedule=...)`.

Each is a formula of the step, made into torch's own LambdaLR. Step t, from 0, is the update before which t were made.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import cos, pi
from typing import Literal

from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR

from vfnb.ground import SpecError

Decay = Callable[[int, int, int], float]
Clock = Literal["rest", "all"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """A linear warm-up to the optimizer's rate, then a decay.

    Args:
        warmup: How long it warms up: a whole number is steps, a number below 1 a share of all steps.
        start: What part of the rate the first step has.
        decay: What part of the rate step t has after the warm-up, from (t, warm-up steps, all steps).

    Raises:
        SpecError: If the warm-up or its start is not possible.
    """

    warmup: float
    start: float
    decay: Decay

    def __post_init__(self) -> None:
        if not (self.warmup >= 0 and (self.warmup < 1 or self.warmup == int(self.warmup))):
            raise SpecError(
                f"warmup={self.warmup} is not possible; give steps as a whole number, or a share of all steps below 1"
            )
        if not 0 <= self.start <= 1:
            raise SpecError(f"start={self.start} is not possible; give the part of the rate to begin with, 0 to 1")

    def warm_steps(self, total_steps: int) -> int:
        """Count the steps of the warm-up.

        Args:
            total_steps: The run's.

        Returns:
            The steps; a share is rounded to the nearest.
        """
        return round(self.warmup * total_steps if self.warmup < 1 else self.warmup)

    def factor(self, step: int, total_steps: int) -> float:
        """Give the part of the optimizer's rate that a step has.

        Args:
            step: From 0.
            total_steps: The run's.

        Returns:
            1 at the top.
        """
        warm = self.warm_steps(total_steps)
        if step < warm:
            return self.start + (1 - self.start) * step / warm
        return self.decay(step, warm, total_steps)

    def __call__(self, optimizer: Optimizer, total_steps: int) -> LambdaLR:
        """Make the schedule of one optimizer.

        Args:
            optimizer: The optimizer.
            total_steps: The run's.

        Returns:
            torch's scheduler, to be stepped each step.
        """
        return LambdaLR(optimizer, lambda step: self.factor(step, total_steps))


def warmup_constant(warmup: float = 0, *, start: float = 0.0) -> Schedule:
    """Warm up, then stay.

    Args:
        warmup: Steps, or a share of all steps below 1.
        start: What part of the rate the first step has.

    Returns:
        The schedule.
    """
    return Schedule(warmup, start, _constant)


def warmup_step(
    warmup: float = 0, *, at: Sequence[float] = (1 / 3, 2 / 3, 8 / 9), factor: float = 0.1, start: float = 0.0
) -> Schedule:
    """Warm up, then stay between drops, as ImageNet is trained.

    Args:
        warmup: Steps, or a share of all steps below 1.
        at: Where it drops, each as a share of all steps or as a step; 30, 60 and 80 of 90 epochs without it.
        factor: What each drop multiplies the rate by.
        start: What part of the rate the first step has.

    Returns:
        The schedule.
    """
    return Schedule(warmup, start, partial(_drops, at=tuple(at), factor=factor))


def warmup_cosine(warmup: float = 0, *, end: float = 0.0, start: float = 0.0) -> Schedule:
    """Warm up, then half a cosine over what remains.

    Args:
        warmup: Steps, or a share of all steps below 1.
        end: What part of the rate it ends at.
        start: What part of the rate the first step has.

    Returns:
        The schedule.
    """
    return Schedule(warmup, start, partial(_cosine, end=end))


def warmup_polynomial(
    warmup: float = 0, *, power: float = 1.0, end: float = 0.0, clock: Clock = "rest", start: float = 0.0
) -> Schedule:
    """Warm up, then a power of the share of steps that is left.

    Args:
        warmup: Steps, or a share of all steps below 1.
        power: 1 is a line.
        end: What part of the rate it ends at.
        clock: "rest" decays from the warm-up's end, as in fine-tuning; "all" from step 0, as BERT was pre-trained: its
            rate falls at once where the warm-up ends.
        start: What part of the rate the first step has.

    Returns:
        The schedule.

    Raises:
        SpecError: If the clock is unknown.
    """
    if clock not in ("rest", "all"):
        raise SpecError(f"clock={clock!r} is unknown; give 'rest' or 'all'")
    return Schedule(warmup, start, partial(_polynomial, power=power, end=end, clock=clock))


def _constant(step: int, warm: int, total: int) -> float:
    del step, warm, total
    return 1.0


def _drops(step: int, warm: int, total: int, *, at: tuple[float, ...], factor: float) -> float:
    del warm
    return factor ** sum(step >= round(drop * total if drop < 1 else drop) for drop in at)


def _cosine(step: int, warm: int, total: int, *, end: float) -> float:
    return end + (1 - end) * 0.5 * (1 + cos(pi * _share(step, warm, total)))


def _polynomial(step: int, warm: int, total: int, *, power: float, end: float, clock: Clock) -> float:
    left = 1 - _share(step, warm if clock == "rest" else 0, total)
    return end + (1 - end) * float(left**power)


def _share(step: int, begin: int, total: int) -> float:
    # A scheduler is stepped once more after the last update.
    return min(1.0, (step - begin) / max(1, total - begin))
