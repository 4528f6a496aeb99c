"""The one thread that paints a panel, a few times a second: a browser draws no faster than a kernel can send."""

import threading
from collections.abc import Callable

EVERY = 0.25  # seconds


class Painter:
    """Paints until there is nothing left to paint.

    Args:
        paint: Brings everything up to date; False when that was the last time.
        over: Called on the thread after the last time.
        name: Of the thread.
    """

    def __init__(self, paint: Callable[[], bool], over: Callable[[], None], name: str) -> None:
        self._paint, self._over = paint, over
        self._news, self._stopped = threading.Event(), False
        self.thread = threading.Thread(target=self._work, daemon=True, name=name)

    def start(self) -> None:
        """Begin."""
        self.thread.start()

    def soon(self) -> None:
        """Paint now and not at the next turn; on any thread."""
        self._news.set()

    def stop(self) -> None:
        """Paint no more."""
        self._stopped = True
        self._news.set()

    def _work(self) -> None:
        while not self._stopped and self._paint():
            self._news.wait(EVERY)
            self._news.clear()
        self._over()
