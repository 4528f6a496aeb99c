from vfnb.runtime import Status
from vfnb.session.ledger import Ledger
from vfnb.spec import NotGuaranteed, Row, Warned


def ledger() -> Ledger:
    return Ledger(Status(state="new", step=0))


def test_begins_with_nothing() -> None:
    new = ledger()

    assert new.status.state == "new"
    assert new.last is None
    assert new.events == ()
    assert len(new.history()) == 0
    assert not new.ended


def test_the_status_is_the_last_one_said() -> None:
    told = ledger()

    told.fold(Status(state="running", step=3))
    told.fold(Status(state="done", step=9))

    assert told.status.step == 9
    assert told.ended


def test_rows_become_the_history() -> None:
    told = ledger()
    row = Row(step=1, epoch=0, loss=0.5, lr=0.1, samples=8, samples_per_second=1.0, workers=1)

    told.fold(row)

    assert told.last is row
    assert list(told.history()["loss"]) == [0.5]


def test_events_stand_in_order() -> None:
    told = ledger()

    for step in range(3):
        told.fold(Warned(step=step, message="careful"))
        assert len(told.events) == step + 1

    assert [event.step for event in told.events] == [0, 1, 2]
    assert told.events is told.events


def test_reasons_against_the_promise_are_noted_once() -> None:
    told = ledger()

    for step in range(2):
        told.fold(NotGuaranteed(step=step, what="a kernel", reason="it draws"))

    assert told.notes == ("a kernel: it draws",)
