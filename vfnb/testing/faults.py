"""Faults as values: which worker, at which point of which step, and what happens to it.

A script is given to an engine, `LocalEngine(probe=script)`, travels to every worker and strikes there. The
points are those of `vfnb.runtime.Probe`.
"""

import os
import signal
import time
from dataclasses import dataclass, replace
from typing import Literal, Self, assert_never

from vfnb.runtime import GroupError

Strike = Literal["kill", "stop", "fail", "hold", "slow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault.

    Attributes:
        strike: "kill" is SIGKILL, "stop" SIGSTOP, "fail" a collective that breaks, "hold" a pause of `seconds`,
            "slow" a device `times` slower.
        worker: Whose.
        point: Where.
        step: In which step, for "slow" from which step on; None for the first time.
        detail: Which one, where a step meets the point more than once.
        seconds: How long a hold lasts.
        times: How many times slower.
        until: The first step that is as fast as ever again; None for none.
    """

    strike: Strike
    worker: int
    point: str
    step: int | None = None
    detail: int = 0
    seconds: float = 0.0
    times: float = 1.0
    until: int | None = None

    def strikes(self, point: str, worker: int, step: int, detail: int) -> bool:
        """Tell whether this is where and when.

        Args:
            point: Where a worker is.
            worker: Which.
            step: In which step.
            detail: Which one.

        Returns:
            Whether it is.
        """
        if (self.worker, self.point) != (worker, point):
            return False
        if self.strike == "slow":
            return (self.step or 0) <= step and (self.until is None or step < self.until)
        return self.detail == detail and self.step in (None, step)


@dataclass(frozen=True, slots=True)
class FaultScript:
    """Faults to come; a value: each method gives a longer script.

    Attributes:
        faults: In any order.
    """

    faults: tuple[Fault, ...] = ()

    def kill(self, worker: int, point: str, *, step: int | None = None, detail: int = 0) -> Self:
        """Add a SIGKILL.

        Args:
            worker: Whose.
            point: Where.
            step: In which step.
            detail: Which one.

        Returns:
            The longer script.
        """
        return self._with(Fault(strike="kill", worker=worker, point=point, step=step, detail=detail))

    def stop(self, worker: int, point: str, *, step: int | None = None) -> Self:
        """Add a SIGSTOP: the worker is there but silent.

        Args:
            worker: Whose.
            point: Where.
            step: In which step.

        Returns:
            The longer script.
        """
        return self._with(Fault(strike="stop", worker=worker, point=point, step=step))

    def fail(self, worker: int, point: str, *, step: int | None = None) -> Self:
        """Add a collective that breaks on one worker although it was complete elsewhere.

        Args:
            worker: Whose.
            point: Where.
            step: In which step.

        Returns:
            The longer script.
        """
        return self._with(Fault(strike="fail", worker=worker, point=point, step=step))

    def hold(self, worker: int, point: str, seconds: float, *, step: int | None = None) -> Self:
        """Add a pause, as of a device that slows down.

        Args:
            worker: Whose.
            point: Where.
            seconds: How long.
            step: In which step; None for each time.

        Returns:
            The longer script.
        """
        return self._with(Fault(strike="hold", worker=worker, point=point, step=step, seconds=seconds))

    def slow(self, worker: int, times: float, *, step: int | None = None, until: int | None = None) -> Self:
        """Add a device that becomes slower in mid-run: each pass takes so many times longer, by its CPU time.

        Where it begins and ends, an event of the run says that it is simulated.

        Args:
            worker: Whose.
            times: How many times slower, 1 or more.
            step: From which step on; None for all.
            until: The first step that is as fast as ever again; None for none.

        Returns:
            The longer script.
        """
        return self._with(Fault(strike="slow", worker=worker, point="pass", step=step, times=times, until=until))

    def __call__(self, point: str, *, worker: int, step: int, detail: int = 0) -> float | None:
        """Strike where a fault says so.

        Args:
            point: Where a worker is.
            worker: Which.
            step: In which step.
            detail: Which one.

        Returns:
            How many times slower a pass is to look; None for not at all.
        """
        times = 1.0
        for fault in self.faults:
            if fault.strikes(point, worker, step, detail):
                _strike(fault)
                times *= fault.times
        return None if times == 1 else times

    def _with(self, fault: Fault) -> Self:
        return replace(self, faults=(*self.faults, fault))


def _strike(fault: Fault) -> None:
    match fault.strike:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "fail":
            raise GroupError("broken by a fault script")
        case "hold":
            time.sleep(fault.seconds)  # noqa: TID251  # a slow device is what is played
        case "slow":
            pass  # what is answered plays it
        case _:
            assert_never(fault.strike)
