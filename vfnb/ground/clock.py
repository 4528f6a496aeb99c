"""Clocks as arguments: the system's own at the edge, a manual one in tests and simulations."""

import time
from typing import Protocol, runtime_checkable

from vfnb.ground.errors import SpecError


@runtime_checkable
class Clock(Protocol):
    """What tells the time."""

    def now(self) -> float:
        """Tell the wall time in Unix seconds."""
        ...

    def monotonic(self) -> float:
        """Tell seconds from some fixed start; never goes back."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> float:
        """Tell the wall time in Unix seconds."""
        return time.time()

    def monotonic(self) -> float:
        """Tell seconds from some fixed start; never goes back."""
        return time.monotonic()


class ManualClock:
    """A clock that moves only when it is told to.

    Args:
        start: The wall time it begins at, in Unix seconds; its monotonic time begins at 0.
    """

    def __init__(self, start: float = 0.0) -> None:
        self._start = start
        self._passed = 0.0

    def now(self) -> float:
        """Tell the wall time in Unix seconds."""
        return self._start + self._passed

    def monotonic(self) -> float:
        """Tell the seconds that were let pass so far."""
        return self._passed

    def advance(self, seconds: float) -> None:
        """Let time pass.

        Args:
            seconds: How much, 0 or more.

        Raises:
            SpecError: If `seconds` is negative or not a number.
        """
        if not seconds >= 0:
            raise SpecError(f"seconds={seconds} would turn the clock back; give 0 or more")
        self._passed += seconds
