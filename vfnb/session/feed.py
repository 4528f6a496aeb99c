"""Where an engine's news goes: into the ledger, onto disk, and to the user's on_event."""

from dataclasses import replace
from threading import Lock

from vfnb.ground import Clock
from vfnb.runtime import Status
from vfnb.session.announcer import Announcer
from vfnb.session.ledger import Ledger, News
from vfnb.session.record import Record
from vfnb.spec import CallbackFailed, Event, Row, Warned


class Feed:
    """The sink of one run.

    Args:
        ledger: What is known of the run.
        clock: Gives an event its time where it has none.
    """

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger, self._clock = ledger, clock
        self._record: Record | None = None
        self._announcer: Announcer | None = None
        self._lock = Lock()  # the announcer's thread tells of its failures

    def open(self, record: Record, announcer: Announcer | None) -> None:
        """Begin to write and to announce; what was told before is written first.

        Args:
            record: The run's directory.
            announcer: Calls the user's function; None where there is none.
        """
        self._announcer = announcer
        earlier = self._ledger.events
        self._record = record
        for event in earlier:
            self._pass_on(event)

    def __call__(self, news: News) -> None:
        """Take in one piece of news.

        Args:
            news: A row, an event, or where the run stands now.
        """
        with self._lock:
            match news:
                case Row() | Status():
                    self._ledger.fold(news)
                case _:
                    event = news if news.at else replace(news, at=self._clock.now())
                    self._ledger.fold(event)
                    self._pass_on(event)

    def settled(self, timeout: float) -> bool:
        """Wait until the user's function has seen every event.

        Args:
            timeout: Seconds to wait at most.

        Returns:
            False when the time ran out first.
        """
        return self._announcer is None or self._announcer.settled(timeout)

    def _pass_on(self, event: Event) -> None:
        if self._record is not None:
            problem = self._record.append(event)
            if problem is not None:
                # Once: the record gives up, the run goes on.
                self._ledger.fold(Warned(step=event.step, at=event.at, message=problem))
        if self._announcer is not None and not isinstance(event, CallbackFailed):
            self._announcer.tell(event)
