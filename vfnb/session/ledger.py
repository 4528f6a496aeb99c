"""What is known of a run: everything its engine said, folded in the order it was said. Reads are cached."""

from threading import Lock
from typing import TYPE_CHECKING

from vfnb.runtime import Status
from vfnb.session.columns import Columns
from vfnb.spec import CheckpointSaved, Event, NotGuaranteed, Row, Stage

if TYPE_CHECKING:
    import pandas as pd

ENDED = frozenset({"done", "stopped", "failed"})

News = Row | Event | Stage | Status


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
        self._stages: tuple[Stage, ...] = ()
        self._fingerprints: dict[int, str] = {}
        self._saved: tuple[int, str] | None = None
        self._measured: dict[str, float] = {}

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
                    self._measured |= news.metrics
                    if news.fingerprint is not None:
                        self._fingerprints[news.step] = news.fingerprint
                case Stage():
                    self._stages = (*self._stages, news)
                case _:
                    self._told.append(news)
                    if isinstance(news, CheckpointSaved) and news.fingerprint:
                        self._saved = (news.step, news.fingerprint)

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

    @property
    def step(self) -> int:
        """The newest committed step that a row or the engine told of."""
        return max(self._status.step, 0 if self._last is None else self._last.step)

    @property
    def measured(self) -> dict[str, float]:
        """The newest value of each metric; the caller's own."""
        with self._lock:
            return dict(self._measured)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The mappings that the run went through."""
        return self._stages

    @property
    def fingerprints(self) -> dict[int, str]:
        """By step, where rows carry one, and the newest checkpoint's where that is newer; the caller's own."""
        with self._lock:
            found = dict(self._fingerprints)
            if self._saved is not None and self._saved[0] > max(found, default=0):
                found[self._saved[0]] = self._saved[1]
            return found

    def history(self) -> "pd.DataFrame":
        """Make a table of the committed steps.

        Returns:
            A row a step; the caller's own.
        """
        with self._lock:
            return self._columns.frame()
