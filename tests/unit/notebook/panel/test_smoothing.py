"""The thick line is a mean of what is known."""

import numpy as np
import pytest

from vfnb.notebook.panel.smoothing import smooth, window


def test_a_window_ends_at_its_point() -> None:
    assert smooth(np.array([3.0, 1.0, 2.0, 6.0]), 2).tolist() == [3.0, 2.0, 1.5, 4.0]


def test_what_is_not_finite_counts_nowhere() -> None:
    assert smooth(np.array([3.0, np.nan, np.inf, 5.0]), 3).tolist() == [3.0, 3.0, 3.0, 5.0]


def test_a_huge_spike_is_forgotten_behind_its_window() -> None:
    y = np.ones(50)
    y[10] = 1e30

    assert smooth(y, 5)[20:] == pytest.approx(np.ones(30))


def test_a_longer_run_has_a_longer_window() -> None:
    assert [window(steps) for steps in (0, 100, 1000, 100_000)] == [5, 5, 40, 4000]
