import math
from time import thread_time
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from vfnb.session.columns import Columns
from vfnb.spec import Row


def row(step: int, **fields: Any) -> Row:
    given = {"epoch": 0, "loss": 0.5, "lr": 0.1, "samples": 8, "samples_per_second": 80.0, "workers": 2}
    return Row(step=step, **(given | fields))


def test_a_row_a_step_with_a_column_a_field() -> None:
    columns = Columns()
    columns.put(row(1, loss=2.0, grad_norm=3.0))
    columns.put(row(2, skipped=True))

    frame = columns.frame()

    assert list(frame["step"]) == [1, 2]
    assert frame["loss"][0] == 2.0
    assert frame["grad_norm"][0] == 3.0
    assert math.isnan(frame["grad_norm"][1])
    assert list(frame["skipped"]) == [False, True]
    assert frame["step"].dtype == "int64"


@given(steps=st.lists(st.integers(1, 400), max_size=600))
def test_the_last_row_of_each_step_stands_in_order(steps: list[int]) -> None:
    columns = Columns()
    for turn, step in enumerate(steps):
        columns.put(row(step, loss=float(turn)))

    frame = columns.frame()

    last = {step: float(turn) for turn, step in enumerate(steps)}
    assert dict(zip(frame["step"], frame["loss"], strict=True)) == last
    assert list(frame["step"]) == sorted(last)
    assert len(columns) == len(last)


def test_metrics_are_columns_that_stand_where_there_was_an_evaluation() -> None:
    columns = Columns()
    for step in range(1, 601):
        columns.put(row(step, metrics={"accuracy": step / 600, "loss": 9.0} if step % 300 == 0 else {}))

    frame = columns.frame()

    assert list(frame["accuracy"].dropna()) == [0.5, 1.0]
    assert frame["accuracy"].last_valid_index() == 599
    assert frame["evaluation_loss"][299] == 9.0
    assert frame["loss"][299] == 0.5


def test_a_step_that_comes_again_without_metrics_has_none() -> None:
    columns = Columns()
    columns.put(row(1, metrics={"accuracy": 0.5}))
    columns.put(row(1))

    assert math.isnan(columns.frame()["accuracy"][0])


def test_a_table_is_the_callers_own() -> None:
    columns = Columns()
    columns.put(row(1))

    frame = columns.frame()
    frame.loc[0, "loss"] = 7.0
    frame["more"] = 1

    assert columns.frame()["loss"][0] == 0.5
    assert "more" not in columns.frame()


def test_a_table_of_ten_thousand_steps_takes_no_time() -> None:
    columns = Columns()
    for step in range(1, 10_001):
        columns.put(row(step))
    columns.frame()

    times = []
    for _ in range(5):
        before = thread_time()
        columns.frame()
        times.append(thread_time() - before)

    assert min(times) < 0.010  # ten times the stated figure
