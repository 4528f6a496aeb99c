"""What a click asks for: carried out on a thread of its own, so that no callback waits and none fails into a void."""

import queue
import threading
from collections.abc import Callable
from typing import Any

from vfnb.ground import VfnbError
from vfnb.notebook.panel.scene import Notice
from vfnb.session import Handle

_KEPT = 3

Order = tuple[str, Callable[[], Any]]


class Orders:
    """A queue of orders and the thread that carries them out, one after another.

    An order may return a text, which is shown, or a handle, whose failure is shown once it is known.

    Args:
        changed: Called when there is something new to show.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._queue: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._pending: list[tuple[str, Handle]] = []
        self._answers: tuple[Notice, ...] = ()
        self._thread: threading.Thread | None = None

    @property
    def answers(self) -> tuple[Notice, ...]:
        """What came of the newest orders, where there is something to say."""
        for what, handle in [pair for pair in self._pending if pair[1].done()]:
            self._pending.remove((what, handle))
            self._try(what, handle.result)
        return self._answers

    @property
    def busy(self) -> bool:
        """Whether a handle is not settled yet."""
        return any(not handle.done() for _, handle in self._pending)

    def give(self, what: str, act: Callable[[], Any]) -> None:
        """Put an order on the queue; returns at once, on any thread.

        Args:
            what: Is asked for, in words.
            act: Carries it out.
        """
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True, name="vfnb orders")
            self._thread.start()
        self._queue.put((what, act))

    def close(self) -> None:
        """Carry out what was ordered, then nothing more."""
        self._queue.put(None)

    def _work(self) -> None:
        while (order := self._queue.get()) is not None:
            self._try(*order)
            self._changed()

    def _try(self, what: str, act: Callable[[], Any]) -> None:
        try:
            said = act()
        except VfnbError as error:
            self._say(Notice(kind="error", text=f"{what}: {error}"))
        except Exception as error:  # noqa: BLE001  # whatever it is, it is to be seen in the panel
            self._say(Notice(kind="error", text=f"{what}: {type(error).__name__}: {error}"))
        else:
            if isinstance(said, Handle):
                self._pending.append((what, said))
            elif isinstance(said, str):
                self._say(Notice(kind="note", text=said))

    def _say(self, notice: Notice) -> None:
        self._answers = (*self._answers, notice)[-_KEPT:]
