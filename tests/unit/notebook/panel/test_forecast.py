"""A step's seconds on another mapping."""

import pytest

from vfnb.notebook.panel.forecast import forecast, step_seconds


def test_the_slowest_worker_decides() -> None:
    assert step_seconds({0: 10, 1: 6}, {0: 0.1, 1: 0.2}) == pytest.approx(1.2)


def test_a_worker_without_a_pass_counts_as_the_others() -> None:
    assert step_seconds({0: 1, 1: 6}, {0: 0.1}) == pytest.approx(0.6)


def test_more_nodes_in_a_pass_are_fewer_passes() -> None:
    assert step_seconds({0: 8}, {0: 0.1}, nodes_per_pass=4) == pytest.approx(0.2)


def test_what_a_step_takes_beyond_its_passes_stays() -> None:
    passes = {0: 0.1, 1: 0.2}

    assert forecast({0: 8, 1: 8}, {0: 11, 1: 5}, passes, measured=1.7) == pytest.approx(1.2)
    assert forecast({0: 8, 1: 8}, {0: 11, 1: 5}, passes, measured=None) == pytest.approx(1.1)


def test_nothing_is_foretold_before_a_pass() -> None:
    assert forecast({0: 8}, {0: 8}, {0: 0.0}, measured=1.0) is None
    assert step_seconds({}, {}) is None
