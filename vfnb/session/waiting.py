"""Waiting for runs, so that an interrupt is heard and a cancelled wait harms nobody."""

import asyncio
from collections.abc import Callable

from vfnb.ground import Clock
from vfnb.runtime import Run

_LOOK = 0.1  # seconds between looks


def ends_within(join: Callable[[float], bool], timeout: float | None, clock: Clock) -> bool:
    """Wait for an end.

    Args:
        join: Waits for so many seconds at most, and tells whether the end was reached.
        timeout: Seconds to wait at most; None waits as long as it takes.
        clock: Measures them.

    Returns:
        False when the time ran out first.
    """
    deadline = None if timeout is None else clock.monotonic() + timeout
    # Short waits: a lock that is held for longer would keep an interrupt from the calling thread.
    while True:
        left = _LOOK if deadline is None else deadline - clock.monotonic()
        if join(max(0.0, min(_LOOK, left))):
            return True
        if left <= 0:
            return False


async def ended(run: Run) -> None:
    """Wait for a run's end without holding up the loop.

    Args:
        run: The run.
    """
    # Short waits here too: a cancelled one leaves its thread behind for no longer than this.
    while not await asyncio.to_thread(run.join, _LOOK):
        pass
