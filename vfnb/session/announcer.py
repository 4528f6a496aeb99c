"""Calling the user's on_event on a thread of its own, so that whatever it does holds nobody up."""

import traceback
from collections.abc import Callable
from queue import SimpleQueue
from threading import Event as Flag
from threading import Thread, current_thread

from vfnb.spec import CallbackFailed, Event


class Announcer:
    """A thread that calls a function with each event, in order.

    Args:
        call: The user's function.
        report: Told of each failure of it; the event is not announced in turn.
        name: Of the thread.
    """

    def __init__(self, call: Callable[[Event], object], report: Callable[[CallbackFailed], None], name: str) -> None:
        self._call, self._report = call, report
        self._waiting: SimpleQueue[Event | Flag] = SimpleQueue()
        self._thread = Thread(target=self._serve, name=f"vfnb on_event {name}", daemon=True)
        self._thread.start()

    def tell(self, event: Event) -> None:
        """Have the function called; returns at once.

        Args:
            event: What it is called with.
        """
        self._waiting.put(event)

    def settled(self, timeout: float) -> bool:
        """Wait until the function has seen everything told so far.

        Args:
            timeout: Seconds to wait at most.

        Returns:
            False when the time ran out first. Within the function itself, True at once.
        """
        if current_thread() is self._thread:
            return True
        reached = Flag()
        self._waiting.put(reached)
        return reached.wait(timeout)

    def _serve(self) -> None:
        while True:
            match self._waiting.get():
                case Flag() as reached:
                    reached.set()
                case event:
                    self._one(event)

    def _one(self, event: Event) -> None:
        try:
            self._call(event)
        except Exception:  # noqa: BLE001  # the user's function may raise anything, and training goes on
            self._report(CallbackFailed(step=event.step, at=event.at, error=traceback.format_exc()))
