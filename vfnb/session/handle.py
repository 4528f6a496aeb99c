"""What a resize or a new mapping gives back at once, and what came of it later."""

import asyncio
from collections.abc import Generator
from concurrent.futures import Future
from typing import Any

from vfnb.spec import Resized


class Handle:
    """A resize under way.

    Args:
        what: It is to do, in words.
        future: Resolved by the run.
    """

    def __init__(self, what: str, future: "Future[Resized | None]") -> None:
        self._what, self._future = what, future

    def result(self, timeout: float | None = None) -> Resized | None:
        """Wait for the first step after the switch.

        Args:
            timeout: Seconds to wait at most; None waits as long as it takes.

        Returns:
            What was done, with the downtime in seconds; None where the run ended before, or could not.

        Raises:
            TimeoutError: If the time ran out first; the resize goes on.
        """
        try:
            return self._future.result(timeout)
        except TimeoutError as error:
            if self._future.done():
                raise
            raise TimeoutError(f"{self._what} is not done after {timeout} s; it goes on") from error

    def done(self) -> bool:
        """Tell whether there is a result.

        Returns:
            True where `result` returns at once.
        """
        return self._future.done()

    def __await__(self) -> Generator[Any, None, Resized | None]:
        # Shielded: a cancelled cell stops waiting, it does not call off the resize.
        return asyncio.shield(asyncio.wrap_future(self._future)).__await__()

    def __repr__(self) -> str:
        return f"<{self._what}: {self._said()}>"

    def _said(self) -> str:
        if not self._future.done():
            return "under way"
        if self._future.cancelled() or self._future.exception() is not None:
            return f"failed, {self._future.exception()}" if not self._future.cancelled() else "called off"
        resized = self._future.result()
        if resized is None:
            return "the run went on without it"
        change = f"{len(resized.before)} to {len(resized.after)} workers"
        return f"{change} at step {resized.step}, {resized.downtime:.2f} s"
