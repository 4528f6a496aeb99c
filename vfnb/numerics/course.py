"""How a job goes through its training data step by step, where its batch grows too.

An epoch's order stays as it is whatever the batch: a step reads on from where the step before it ended, so every
sample is read once an epoch also where the batch grows inside it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from vfnb.numerics.split import steps_per_epoch


@dataclass(frozen=True, slots=True)
class Leg:
    """Steps of one global batch.

    Attributes:
        first: Its first step.
        batch: The global batch.
        epoch: Of the first step, from 0.
        start: Where the first step begins to read, in the epoch's order.
    """

    first: int
    batch: int
    epoch: int
    start: int


@dataclass(frozen=True, slots=True)
class Course:
    """The epoch and the samples of each step.

    Args:
        samples: The data set's length.
        batch: The first global batch.
        growth: Pairs of a step and the global batch from it on, ascending.
        drop_last: Whether an epoch's short last batch is left out.

    Raises:
        SpecError: If there is no sample, no batch, or an epoch's only batch would be dropped.
    """

    samples: int
    batch: int
    growth: tuple[tuple[int, int], ...] = ()
    drop_last: bool = False

    def __post_init__(self) -> None:
        for batch in (self.batch, *(batch for _, batch in self.growth)):
            steps_per_epoch(self.samples, batch, self.drop_last)

    def at(self, step: int) -> tuple[int, range]:
        """Tell what a step reads.

        Args:
            step: The job's step, counted from 1.

        Returns:
            The epoch, from 0, and the positions of the global batch in the epoch's order; an epoch's last may be
            shorter.
        """
        assert step >= 1, f"steps count from 1, got {step}"
        *_, leg = takewhile(lambda leg: leg.first <= step, self.legs())
        epoch, start = self._reached(leg, step)
        return epoch, range(start, min(start + leg.batch, self.samples))

    def ends_epoch(self, step: int) -> bool:
        """Tell whether a step is the last of its epoch.

        Args:
            step: The job's step, counted from 1.

        Returns:
            Whether the next step begins another epoch.
        """
        return self.at(step)[0] != self.at(step + 1)[0]

    def steps_of(self, epochs: int) -> int:
        """Count the steps that some epochs take.

        Args:
            epochs: How many, 1 or more.

        Returns:
            The last step of the last of them.
        """
        last = 0
        for leg in self.legs():
            if leg.epoch >= epochs:
                return min(last, leg.first - 1)  # fewer where the larger batch leaves out the rest of an epoch
            more = epochs - leg.epoch - 1
            last = leg.first - 1 + self._steps_left(leg) + more * self._steps(self.samples, leg.batch)
        return last

    def epochs_after(self, steps: NDArray[np.generic]) -> NDArray[np.float64]:
        """Measure steps in epochs: while the batch stays, the steps of an epoch are equal parts of it.

        Args:
            steps: Numbers of steps, 0 for before the first.

        Returns:
            How many epochs are read after each of them.
        """
        found = np.zeros(len(steps))
        for leg in self.legs():
            taken = steps.astype(np.float64) - (leg.first - 1)
            begun, left = leg.start / self.samples, self._steps_left(leg)
            later = leg.epoch + 1 + (taken - left) / self._steps(self.samples, leg.batch)
            after = np.where(taken < left, leg.epoch + begun + (1 - begun) * taken / left, later)
            found = np.where(taken > 0, after, found)
        return found

    def legs(self) -> Iterator[Leg]:
        """Give the parts of the course that have one batch each.

        Yields:
            Them, in order.
        """
        leg = Leg(first=1, batch=self.batch, epoch=0, start=0)
        yield leg
        for step, batch in self.growth:
            epoch, start = self._reached(leg, step)
            if not self._steps(self.samples - start, batch):
                epoch, start = epoch + 1, 0  # the rest of the epoch is a short batch, and left out
            leg = Leg(first=step, batch=batch, epoch=epoch, start=start)
            yield leg

    def _reached(self, leg: Leg, step: int) -> tuple[int, int]:
        """Tell in which epoch, and where in its order, a leg's step begins to read."""
        taken = step - leg.first
        left = self._steps_left(leg)
        if taken < left:
            return leg.epoch, leg.start + taken * leg.batch
        epochs, within = divmod(taken - left, self._steps(self.samples, leg.batch))
        return leg.epoch + 1 + epochs, within * leg.batch

    def _steps_left(self, leg: Leg) -> int:
        return self._steps(self.samples - leg.start, leg.batch)

    def _steps(self, samples: int, batch: int) -> int:
        return samples // batch if self.drop_last else -(-samples // batch)
