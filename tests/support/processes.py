"""Processes seen from outside: who descends from whom, and who is left."""

import time
from collections.abc import Iterable

import psutil


def descendants(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def left_after(seconds: float, processes: Iterable[psutil.Process]) -> list[psutil.Process]:
    """Wait for processes to end; give those that have not."""
    deadline = time.monotonic() + seconds
    while (left := [one for one in processes if _runs(one)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def _runs(process: psutil.Process) -> bool:
    # A container's first process may never collect the orphans that it is given: a zombie is gone.
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
