from pathlib import Path

import pytest

from vfnb.ground import ManualClock
from vfnb.runtime import Status, Worker
from vfnb.session.announcer import Announcer
from vfnb.session.feed import Feed
from vfnb.session.ledger import Ledger
from vfnb.session.record import EVENTS, Record
from vfnb.spec import CallbackFailed, Device, Event, Finished, Layout, Mapping, Row, Warned, from_json

LONG = 30.0


@pytest.fixture
def ledger() -> Ledger:
    return Ledger(Status(state="new", step=0))


@pytest.fixture
def feed(ledger: Ledger) -> Feed:
    return Feed(ledger, ManualClock(start=100.0))


def written(folder: Path) -> list[object]:
    return [from_json(line) for line in (folder / EVENTS).read_text().splitlines()]


def test_everything_reaches_the_ledger(feed: Feed, ledger: Ledger) -> None:
    feed(Status(state="running", step=1))
    feed(Row(step=1, epoch=0, loss=0.5, lr=0.1, samples=8, samples_per_second=1.0, workers=1))
    feed(Warned(step=1, message="careful"))

    assert ledger.status.state == "running"
    assert len(ledger.history()) == 1
    assert len(ledger.events) == 1


def test_an_event_without_a_time_gets_one(feed: Feed, ledger: Ledger) -> None:
    feed(Warned(step=1, message="careful"))
    feed(Warned(step=2, at=7.0, message="careful"))

    assert [event.at for event in ledger.events] == [100.0, 7.0]


def test_what_was_told_before_the_start_is_written_and_announced_too(
    feed: Feed, ledger: Ledger, tmp_path: Path
) -> None:
    seen: list[Event] = []
    feed(Warned(step=0, message="before"))
    feed.open(Record(tmp_path), Announcer(seen.append, feed, "run"))
    feed(Warned(step=1, message="after"))

    assert feed.settled(LONG)
    assert written(tmp_path) == list(ledger.events) == seen


def test_a_failing_callback_is_an_event_that_is_not_announced_in_turn(
    feed: Feed, ledger: Ledger, tmp_path: Path
) -> None:
    def fail(event: Event) -> None:
        raise ValueError(event.step)

    feed.open(Record(tmp_path), Announcer(fail, feed, "run"))
    feed(Warned(step=1, message="careful"))

    assert feed.settled(LONG)
    assert [type(event) for event in ledger.events] == [Warned, CallbackFailed]
    assert [type(event) for event in written(tmp_path)] == [Warned, CallbackFailed]


def test_a_record_that_fails_is_warned_of_and_the_run_goes_on(feed: Feed, ledger: Ledger, tmp_path: Path) -> None:
    class Full(Record):
        def append(self, event: Event) -> str | None:
            return "the disk is full"

    feed.open(Full(tmp_path), None)
    feed(Finished(step=3))

    assert ledger.events[0] == Finished(step=3)
    assert ledger.events[1] == Warned(step=3, message="the disk is full")


def test_without_a_callback_there_is_nothing_to_wait_for(feed: Feed) -> None:
    assert feed.settled(0.0)


def test_blocks_that_came_in_unseen_did_so_at_their_step(feed: Feed, ledger: Ledger) -> None:
    mapping = Mapping(Layout(6, 6, ((11, 2), (21, 2))), ((0, (0, 1, 2, 3, 4, 5)),))

    def running(step: int, seen: Mapping) -> Status:
        worker = Worker(id=0, pid=1, device=Device("cpu", 0), virtual_nodes=seen.layout.nodes)
        return Status(state="running", step=step, workers=(worker,), mapping=seen)

    for step in (4, 13, 15, 20):
        feed(running(step, mapping.at(step + 1)))

    assert [(stage.step, stage.mapping.layout.nodes) for stage in ledger.stages] == [(4, 2), (10, 4), (20, 6)]
