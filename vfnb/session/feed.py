"""Where an engine's news goes: into the ledger, onto disk, to trackers, and to the user's on_event."""

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Lock

from vfnb.ground import Clock
from vfnb.runtime import Status, Trackers, checkpoint_fingerprint
from vfnb.session.announcer import Announcer
from vfnb.session.ledger import Ledger, News
from vfnb.session.receipt import receipt_of
from vfnb.session.record import Record
from vfnb.spec import (
    CallbackFailed,
    CheckpointSaved,
    Event,
    Failed,
    Finished,
    Paused,
    Row,
    Stage,
    Stopped,
    Warned,
)

# After these the receipt is written anew: checkpoints come at intervals, the others where a run changes or rests.
_RECEIPTS = (Stage, CheckpointSaved, Paused, Stopped, Finished, Failed)

_logger = logging.getLogger("vfnb")


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
        self._trackers: Trackers | None = None
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
        self._trackers = trackers_of(record, self._tell_of_trackers)
        for event in earlier:
            self._pass_on(event)

    def __call__(self, news: News) -> None:
        """Take in one piece of news.

        Args:
            news: A row, an event, or where the run stands now.
        """
        with self._lock:
            match news:
                case Status():
                    self._ledger.fold(news)
                    self._note_stage(news)
                    if self._trackers is not None and self._ledger.ended:
                        self._trackers.close()
                case Row():
                    self._ledger.fold(news)
                    if self._trackers is not None:
                        self._trackers.tell(news)
                case Stage():
                    self._ledger.fold(news)
                case _:
                    event = news if news.at else replace(news, at=self._clock.now())
                    if isinstance(event, CheckpointSaved):
                        event = replace(event, fingerprint=checkpoint_fingerprint(Path(event.path)))
                    self._ledger.fold(event)
                    self._pass_on(event)

    def settled(self, timeout: float) -> bool:
        """Wait until the user's function has seen every event, and trackers every row of a run that ended.

        Args:
            timeout: Seconds to wait at most.

        Returns:
            False when the time ran out first.
        """
        logged = self._trackers is None or not self._ledger.ended or self._trackers.settled(timeout)
        return (self._announcer is None or self._announcer.settled(timeout)) and logged

    def _tell_of_trackers(self, message: str) -> None:
        _logger.warning(message)
        self(Warned(step=self._ledger.step, message=message))

    def _note_stage(self, status: Status) -> None:
        """Write down where the run is computed from now on, once its workers are those of a new mapping."""
        mapping, devices = status.mapping, {worker.id: str(worker.device) for worker in status.workers}
        if mapping is None or status.state == "starting" or set(mapping.workers) != set(devices):
            return
        here = tuple(devices[worker] for worker in mapping.workers)
        stages = self._ledger.stages
        if stages and (stages[-1].mapping, stages[-1].devices) == (mapping, here):
            return
        # Rows come in bunches: blocks that came in meanwhile did so at their step.
        came_in = [since - 1 for since, _ in mapping.layout.later if stages and stages[-1].step < since - 1]
        step = min([status.step, *came_in[-1:]])
        stage = Stage(step=step, at=self._clock.now(), devices=here, mapping=mapping)
        self._ledger.fold(stage)
        self._write(stage)

    def _write(self, told: Event | Stage) -> None:
        if self._record is None:
            return
        problem = self._record.append(told)
        if problem is not None:
            # Once: the record gives up, the run goes on.
            self._ledger.fold(Warned(step=told.step, at=told.at, message=problem))
        if isinstance(told, _RECEIPTS) and (head := self._record.heading()) is not None:
            self._record.keep_receipt(json.dumps(receipt_of(head, self._ledger), indent=1))

    def _pass_on(self, event: Event) -> None:
        self._write(event)
        if self._announcer is not None and not isinstance(event, CallbackFailed):
            self._announcer.tell(event)


def trackers_of(record: Record, warn: Callable[[str], None]) -> Trackers | None:
    """Begin the trackers that a run's options ask for.

    Args:
        record: The run's directory.
        warn: Told of a tracker that fails.

    Returns:
        The trackers; None where none are asked for.
    """
    head = record.heading()
    options = {} if head is None else head["identity"].get("options", {})
    if head is None or not options.get("log_with"):
        return None
    settings = {"cluster": head["cluster"], "steps": head["steps"], "seed": head["identity"]["seed"]}
    settings |= {name: value for name, value in options.items() if isinstance(value, str | float | int)}
    return Trackers(
        options["log_with"], run=head["name"], folder=record.folder / "trackers", settings=settings, warn=warn
    )
