"""Whether a mapping is worth changing, from what its workers' passes take while they train.

A move costs a moment without training, and what is measured is noisy. Blocks move by themselves only once a mapping
would have saved, over the newest windows together, more than a few whole steps and more than their noise adds up to:
a device that becomes three times as slow is seen in a handful of steps, a lasting saving of a tenth in some forty,
and what differs from one window to the next adds up to next to nothing.
"""

from collections.abc import Mapping as Table
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import sqrt
from statistics import fmean, median
from typing import Self

from vfnb.planning.mixed.fastest import levelled
from vfnb.spec import Mapping

WORTH = 0.1  # the share of a step's time that a move has to save
_MARGIN = 0.05  # of each window's saving, not counted: a prediction is off by so much
_STEPS = 2.0  # whole steps that must have been lost; no one or two windows, however wrong, add up to them
_SIGMAS = 5.0  # and so many times what as many windows of noise add up to
_FEWEST, _MOST = 4, 64  # windows that are looked at
_NEWEST = 5  # windows that say how fast workers are now
_COOLING, _HARDER = 200, 4.0  # steps for which a move makes the next one harder, and how much just after it


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What some steps took.

    Attributes:
        seconds: Of one virtual node's pass, by worker: their mean.
        step_seconds: Of a step.
    """

    seconds: Table[int, float]
    step_seconds: float

    def saving(self, before: Mapping, after: Mapping) -> float:
        """Tell what another mapping would have saved; what a step takes beside its passes is taken to stay.

        Args:
            before: The mapping that it was measured on.
            after: The other, over the same workers.

        Returns:
            A share of the step's time, from -1 to 1.
        """
        then, now = (_busy(mapping, self.seconds) for mapping in (after, before))
        return max(-1.0, (now - then) / max(self.step_seconds, now))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What lies before a run.

    Attributes:
        step: The last committed one.
        last: The run's last.
        move_seconds: How long nothing is trained where blocks move.
    """

    step: int
    last: int
    move_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """What was measured on a run's present mapping, and when blocks were last moved by themselves.

    Attributes:
        mapping: The present one; None before the first.
        windows: What was measured on it, the newest last.
        moved: Steps after which blocks were moved.
    """

    mapping: Mapping | None = None
    windows: tuple[Window, ...] = ()
    moved: tuple[int, ...] = ()

    def seen(self, mapping: Mapping, window: Window) -> Self:
        """Add a window; on another mapping than before, those before count no more.

        Args:
            mapping: That it was measured on.
            window: What was measured.

        Returns:
            All that is known.
        """
        before = self.windows if mapping == self.mapping else ()
        return replace(self, mapping=mapping, windows=(*before, window)[-_MOST:])

    def moving(self, step: int) -> Self:
        """Note that blocks are being moved.

        Args:
            step: The last committed one.

        Returns:
            What is known then.
        """
        return replace(
            self, mapping=None, windows=(), moved=(*(one for one in self.moved if one > step - _COOLING), step)
        )

    @property
    def seconds(self) -> dict[int, float]:
        """How long a virtual node's pass takes of late, by worker; nothing before the first window."""
        newest = self.windows[-_NEWEST:]
        return (
            {worker: median(one.seconds[worker] for one in newest) for worker in newest[-1].seconds} if newest else {}
        )

    def saving(self, after: Mapping) -> float:
        """Predict what a mapping saves.

        Args:
            after: Over the workers that were measured.

        Returns:
            A share of a step's time; 0 before the first window.
        """
        return 0.0 if self.mapping is None else self._now.saving(self.mapping, after)

    def worthwhile(self, outlook: Outlook) -> Mapping | None:
        """Find a mapping that saves a tenth of a step, and until the run's end more than the move takes.

        Args:
            outlook: What lies before the run.

        Returns:
            The mapping; None where the present one had better stay.
        """
        if self.mapping is None or _best_saving(self.mapping, self._now) < WORTH:
            return None
        after = levelled(self.mapping.layout, self.seconds, near=self.mapping)
        saving = self.saving(after)
        saved = saving * self._now.step_seconds * (outlook.last - outlook.step)
        return after if saving >= WORTH and saved > outlook.move_seconds else None

    def proposal(self, outlook: Outlook) -> Mapping | None:
        """Find a mapping that has been worth it for long enough, whatever noise there is.

        Just after a move four times as much must have been lost before the next; that wears off over 200 steps.

        Args:
            outlook: What lies before the run.

        Returns:
            The mapping; None while the present one had better stay.
        """
        after = self.worthwhile(outlook) if len(self.windows) >= _FEWEST else None
        if after is None or self.mapping is None:
            return None
        savings = [one.saving(self.mapping, after) for one in self.windows]
        heat = sum(max(0.0, 1 - (outlook.step - one) / _COOLING) for one in self.moved)
        return after if _lasting(savings, lost=_STEPS * _HARDER**heat) else None

    @property
    def _now(self) -> Window:
        newest = self.windows[-_NEWEST:]
        return Window(seconds=self.seconds, step_seconds=median(one.step_seconds for one in newest))


def _busy(mapping: Mapping, seconds: Table[int, float]) -> float:
    return max(count * seconds[worker] for worker, count in mapping.counts.items())


def _best_saving(mapping: Mapping, window: Window) -> float:
    """Bound what any mapping could save, without looking for one: as if virtual nodes could be cut."""
    now = _busy(mapping, window.seconds)
    then = mapping.layout.nodes / sum(1 / each for each in window.seconds.values())
    return (now - then) / max(window.step_seconds, now)


def _lasting(savings: Sequence[float], lost: float) -> bool:
    """Tell whether the newest savings, however many of them, add up to enough."""
    # From one window to the next only noise differs: a change of speed does so once.
    noise = sqrt(fmean((one - other) ** 2 for one, other in pairwise(savings)) / 2)
    sums = accumulate(one - _MARGIN for one in reversed(savings))
    return any(total >= max(lost, _SIGMAS * noise * sqrt(count)) for count, total in enumerate(sums, start=1))
