"""Telling a frozen worker from a slow one: a worker that is gone closes its channel, a frozen one is only silent.

Silence alone never counts. A process in stopped state counts after 3 s. A worker that computes counts once it
has shown neither a new pass nor CPU time for ten of its slowest passes and 60 s more (or
`Options(stuck_after=)`); one that waits for the others in a collective never does. When the driver itself was
late (a suspended machine, a stopped kernel), all clocks start anew.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from vfnb.runtime.board import Sign

STOPPED_FOR = 3.0
_GRACE = 60.0
_LATE = 2.0  # the driver looks several times a second; a longer gap means that it, too, stood still


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """What the system says of a process.

    Attributes:
        stopped: Whether it is in stopped state.
        cpu: Seconds of CPU time that it has used.
    """

    stopped: bool
    cpu: float


def pulse_of(pid: int) -> Pulse:
    """Look at a process.

    Args:
        pid: Which.

    Returns:
        Its pulse; where the system does not tell, one that is never suspicious.
    """
    if sys.platform != "linux":
        return Pulse(stopped=False, cpu=float("nan"))
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return Pulse(stopped=False, cpu=float("nan"))
    ticks = os.sysconf("SC_CLK_TCK")
    return Pulse(stopped=fields[0] in "Tt", cpu=(int(fields[11]) + int(fields[12])) / ticks)


@dataclass(slots=True)
class _Seen:
    beats: int = -1
    cpu: float = -1.0
    progress_at: float = 0.0
    stopped_at: float | None = None


class Watch:
    """Remembers when each worker last showed progress.

    Args:
        stuck_after: Seconds without progress after which a worker counts as lost; None judges by its passes.
    """

    def __init__(self, stuck_after: float | None) -> None:
        self._stuck_after = stuck_after
        self._seen: dict[int, _Seen] = {}
        self._looked_at: float | None = None

    def look(self, now: float) -> None:
        """Begin a round of looks.

        Args:
            now: Monotonic seconds.
        """
        if self._looked_at is not None and now - self._looked_at > _LATE:
            self._seen.clear()
        self._looked_at = now

    def frozen(self, worker: int, sign: Sign, pulse: Pulse, now: float) -> str | None:
        """Judge one worker.

        Args:
            worker: Its id.
            sign: Its last sign on the board.
            pulse: What the system says.
            now: Monotonic seconds.

        Returns:
            Why it counts as lost, in words; None where it does not.
        """
        seen = self._seen.setdefault(worker, _Seen(progress_at=now))
        if pulse.stopped:
            seen.stopped_at = now if seen.stopped_at is None else seen.stopped_at
            seen.progress_at = now
            return f"stopped for {STOPPED_FOR:.0f} s" if now - seen.stopped_at >= STOPPED_FOR else None
        seen.stopped_at = None
        if sign.beats != seen.beats or pulse.cpu != seen.cpu or sign.phase not in ("compute", "evaluate"):
            seen.beats, seen.cpu, seen.progress_at = sign.beats, pulse.cpu, now
        limit = self._stuck_after or 10 * sign.slowest + _GRACE
        return f"no progress for {limit:.0f} s" if now - seen.progress_at > limit else None

    def forget(self, worker: int) -> None:
        """Drop what is remembered of a worker.

        Args:
            worker: Its id.
        """
        self._seen.pop(worker, None)
