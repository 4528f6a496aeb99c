"""Clocks: the manual one moves as told, the system's one as time does."""

import time

import pytest

from vfnb.ground import Clock, ManualClock, SpecError, SystemClock


@pytest.mark.parametrize("clock", [SystemClock(), ManualClock()])
def test_both_are_clocks(clock: object) -> None:
    assert isinstance(clock, Clock)


def test_the_system_clock_tells_what_the_system_tells() -> None:
    clock = SystemClock()

    assert time.time() <= clock.now() <= time.time()
    assert time.monotonic() <= clock.monotonic() <= time.monotonic()


def test_a_manual_clock_moves_only_when_told() -> None:
    clock = ManualClock(start=100.0)

    assert (clock.now(), clock.monotonic()) == (100.0, 0.0)

    clock.advance(2.5)
    clock.advance(0)

    assert (clock.now(), clock.monotonic()) == (102.5, 2.5)


@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
def test_a_manual_clock_is_not_turned_back(seconds: float) -> None:
    clock = ManualClock()

    with pytest.raises(SpecError, match="turn the clock back"):
        clock.advance(seconds)

    assert clock.monotonic() == 0.0
