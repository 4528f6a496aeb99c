"""A scale from values to the share of an axis, linear or logarithmic, and the ticks that it shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isclose, log10

_DECADES = 20  # values that differ by more than this factor are read on a logarithmic axis
_TOO_MANY = 1e30  # and those that differ by more have a zero among them, in all but name
_PAD = 0.05
_STEPS = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis.

    Args:
        low: Where it begins.
        high: Where it ends; above `low`.
        logarithmic: Whether equal factors are equally far apart; `low` is above 0 then.
        marks: What its ticks are; empty chooses round values.
    """

    low: float
    high: float
    logarithmic: bool = False
    marks: tuple[float, ...] = ()

    def share(self, value: float) -> float:
        """Place a value.

        Args:
            value: Between `low` and `high`.

        Returns:
            0 at `low`, 1 at `high`.
        """
        if self.logarithmic:
            return log10(value / self.low) / log10(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self, count: int) -> tuple[float, ...]:
        """Choose round values.

        Args:
            count: How many there may be, about.

        Returns:
            Values between `low` and `high`, ascending.
        """
        if self.marks:
            return self.marks[:: -(-len(self.marks) // count)]
        return self._decades(count) if self.logarithmic else self._rounds(count)

    def _rounds(self, count: int) -> tuple[float, ...]:
        apart = _round_up((self.high - self.low) / max(1, count))
        first, last = ceil(self.low / apart - 1e-9), floor(self.high / apart + 1e-9)
        return tuple(number * apart for number in range(first, last + 1))

    def _decades(self, count: int) -> tuple[float, ...]:
        first, last = floor(log10(self.low)), ceil(log10(self.high))
        few = last - first < count
        digits = (1, 1.5, 2, 3, 5, 7) if last - first <= 1 else (1, 2, 5) if last - first <= 2 else (1,)
        every = 1 if few else ceil((last - first) / count)
        found = (digit * 10.0**exponent for exponent in range(first, last + 1, every) for digit in digits)
        return tuple(value for value in found if self.low <= value <= self.high)


def steps_scale(steps: Sequence[float]) -> Scale:
    """Make the axis of a curve's steps.

    Args:
        steps: At least one.

    Returns:
        From the first to the last.
    """
    first, last = min(steps), max(steps)
    return Scale(first, max(last, first + 1))


def values_scale(values: Sequence[float]) -> Scale:
    """Make the axis of a curve's values, with a little room above and below.

    Args:
        values: At least one; finite.

    Returns:
        A logarithmic axis where they are positive and span decades.
    """
    low, high = min(values), max(values)
    if low > 0 and _DECADES < high / low < _TOO_MANY:
        room = (high / low) ** _PAD
        return Scale(low / room, high * room, logarithmic=True)
    room = _PAD * (high - low) if high > low else max(abs(high), 1.0) * _PAD
    return Scale(low - room, high + room)


def factors_scale(values: Sequence[float], marks: Sequence[float] = ()) -> Scale:
    """Make an axis on which equal factors are equally far apart, with a little room at both ends.

    Args:
        values: At least one; above 0.
        marks: What its ticks are; empty chooses round values.

    Returns:
        A logarithmic axis.
    """
    low, high = min(values), max(values)
    room = max((high / low) ** _PAD, 1.1)
    return Scale(low / room, high * room, logarithmic=True, marks=tuple(marks))


def within_reach(values: Sequence[float], edges: Sequence[float]) -> list[float]:
    """Choose what an axis has to show: all values, and their intervals as far as they leave the values room.

    Args:
        values: At least one; finite.
        edges: Ends of intervals around them; finite.

    Returns:
        Values for `values_scale`.
    """
    low, high = min(values), max(values)
    if not edges or low == high:
        return [*values, *edges]
    room = (high - low) / 2
    return [*values, *(min(max(edge, low - room), high + room) for edge in edges)]


def said(value: float) -> str:
    """Write a tick's value.

    Args:
        value: The value.

    Returns:
        As few digits as tell it; thousands are set apart.
    """
    if isclose(value, 0, abs_tol=1e-12):
        return "0"
    if 1000 <= abs(value) < 1e7:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _round_up(wide: float) -> float:
    power = 10.0 ** floor(log10(wide))
    return next(step * power for step in _STEPS if step * power >= wide * (1 - 1e-9))
