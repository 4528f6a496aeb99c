from typing import Any

import pytest

from vfnb.session.journal import read_rows, replay, state_after
from vfnb.spec import Event, Failed, Finished, Paused, Recovered, Resumed, Row, Stopped, Warned, to_json


def row(step: int, loss: float = 0.5) -> Row:
    return Row(step=step, epoch=0, loss=loss, lr=0.1, samples=8, samples_per_second=1.0, workers=1)


def lines(*records: Any) -> list[str]:
    return [to_json(record) for record in records]


def test_a_run_is_read_back_as_it_was_told() -> None:
    ledger = replay(lines(row(1), row(2)), lines(Warned(step=1, message="careful"), Finished(step=2)))

    assert list(ledger.history()["step"]) == [1, 2]
    assert ledger.events == (Warned(step=1, message="careful"), Finished(step=2))
    assert ledger.status.state == "done"
    assert ledger.status.step == 2


def test_a_step_that_stands_there_again_replaces_the_earlier_one() -> None:
    ledger = replay(lines(row(1), row(2, loss=1.0), row(2, loss=2.0), row(3)), [])

    assert list(ledger.history()["loss"]) == [0.5, 2.0, 0.5]


def test_a_torn_last_line_is_left_out() -> None:
    whole = "\n".join(lines(row(1), row(2)))

    for cut in range(len(whole)):
        steps = [found.step for found in read_rows(whole[:cut].split("\n"))]
        assert steps in ([], [1], [1, 2])

    assert [found.step for found in read_rows(whole[:-1].split("\n"))] == [1]


def test_a_torn_line_in_the_middle_is_left_out() -> None:
    first, second, third = lines(row(1), row(2), row(3))

    assert [found.step for found in read_rows([first, second[:20] + third, third])] == [1, 3]


def test_nothing_reads_as_a_run_that_has_just_begun() -> None:
    ledger = replay([], [])

    assert ledger.status.state == "running"
    assert ledger.status.step == 0


@pytest.mark.parametrize(
    ("events", "state"),
    [
        ([], "running"),
        ([Paused(step=1)], "paused"),
        ([Paused(step=1), Resumed(step=1)], "running"),
        ([Paused(step=1), Recovered(step=1, before=(), after=(), downtime=0.1)], "running"),
        ([Paused(step=1), Stopped(step=1)], "stopped"),
        ([Failed(step=1, error="x")], "failed"),
        ([Finished(step=1)], "done"),
    ],
)
def test_the_state_follows_from_what_happened(events: list[Event], state: str) -> None:
    assert state_after(events) == state
