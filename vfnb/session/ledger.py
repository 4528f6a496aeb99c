"""What is known of a run: everything its engine said, folded in the order it was said. Reads are cached."""

from threading import Lock
from typing import TYPE_CHECKING

from vfnb.runtime import Status
from vfnb.session.columns import Columns
from vfnb.spec import Event, NotGuaranteed, Row

if TYPE_CHECKING:
    import pandas as pd

ENDED = frozenset({"done", "stopped", "failed"})

News = Row | Event | Status


class Ledger:
    """A run's history, events and status; told from one thread, read from any.

    Args:
        status: Where the run stands before anything is said.
    """

    def __init__(self, status: Status) -> None:
        self._lock = Lock()
        self._columns = Columns()
        self._told: list[Event] = []
        self._events: tuple[Event, ...] = ()
        self._status = status
        self._last: Row | None = None

    def fold(self, news: News) -> None:
        """Take in one piece of news.

        Args:
            news: A row, an event, or where the run stands now.
        """
        with self._lock:
            match news:
                case Status():
                    self._status = news
                case Row():
                    self._columns.put(news)
                    self._last = news
                case _:
                    self._told.append(news)

    @property
    def status(self) -> Status:
        """Where the run stands."""
        return self._status

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen."""
        return self._status.state in ENDED

    @property
    def last(self) -> Row | None:
        """The newest row; None before the first."""
        return self._last

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened, in order."""
        with self._lock:
            if len(self._events) != len(self._told):
                self._events = tuple(self._told)
            return self._events

    @property
    def notes(self) -> tuple[str, ...]:
        """Why the same bits are not promised, each reason once."""
        notes = [f"{one.what}: {one.reason}" for one in self.events if isinstance(one, NotGuaranteed)]
        return tuple(dict.fromkeys(notes))

    def history(self) -> "pd.DataFrame":
        """Make a table of the committed steps.

        Returns:
            A row a step; the caller's own.
        """
        with self._lock:
            return self._columns.frame()
