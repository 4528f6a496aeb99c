"""How fast a job is, from its own steps."""

import pandas as pd

from vfnb.session.pool.entry import measured


def rate(workers: list[int], speeds: list[float], on: int, demand: int = 4) -> float:
    history = pd.DataFrame({"workers": workers, "samples_per_second": speeds, "samples": [8] * len(workers)})
    return measured(history, demand)((("cpu", on),))


def test_a_job_without_steps_scales_in_proportion() -> None:
    assert measured(None, 4)((("cpu", 2),)) == 0.5
    assert rate([], [], on=4) == 1.0
    assert rate([2], [float("nan")], on=4) == 1.0


def test_steps_a_second_are_those_of_the_middle_step_on_so_many_workers() -> None:
    assert rate([2, 2, 2], [8.0, 80.0, 16.0], on=2) == 2.0


def test_what_was_not_measured_is_in_proportion_to_what_was() -> None:
    assert rate([1, 2], [8.0, 12.0], on=4) == 3.0
    assert rate([2], [16.0], on=1) == 1.0
