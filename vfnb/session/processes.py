"""Telling whether a process of this machine still runs, and is the one it was."""

import os
from pathlib import Path

_STARTED = 19  # of the fields after the command's name in /proc/PID/stat: field 22 in proc(5)


def runs_still(pid: int, born: float | None) -> bool:
    """Tell whether a process runs.

    Args:
        pid: Its number.
        born: When it started, as `started_at` said; None where it could not be known.

    Returns:
        False where there is none, or another one has its number by now.
    """
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        # Somebody else's: ours has ended and its number was given away, or it is another user's run.
        return born is None or started_at(pid) == born
    return born is None or started_at(pid) == born


def started_at(pid: int) -> float | None:
    """Tell when a process started.

    Args:
        pid: Its number.

    Returns:
        Ticks since the machine started; None where that cannot be known (no /proc), or there is no process.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The command's name stands in brackets and may itself hold any character.
    return float(stat.rpartition(")")[2].split()[_STARTED])
