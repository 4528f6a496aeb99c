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

Strike = Literal["kill", "stop", "fail", "hold"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault.

    Attributes:
        strike: "kill" is SIGKILL, "stop" SIGSTOP, "fail" a collective that breaks, "hold" a pause of `seconds`.
        worker: Whose.
        point: Where.
        step: In which step; None for the first time.
        detail: Which one, where a step meets the point more than once.
        seconds: How long a hold lasts.
    """

    strike: Strike
    worker: int
    point: str
    step: int | None = None
    detail: int = 0
    seconds: float = 0.0


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

    def __call__(self, point: str, *, worker: int, step: int, detail: int = 0) -> None:
        """Strike where a fault says so.

        Args:
            point: Where a worker is.
            worker: Which.
            step: In which step.
            detail: Which one.
        """
        for fault in self.faults:
            here = (fault.worker, fault.point, fault.detail) == (worker, point, detail)
            if here and fault.step in (None, step):
                _strike(fault)

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
        case _:
            assert_never(fault.strike)
