"""Few points that look like many."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vfnb.notebook.panel.thinning import thin

heights = st.lists(st.floats(-1e6, 1e6) | st.just(float("nan")) | st.just(float("inf")), max_size=400)


@given(heights, st.integers(4, 60))
def test_the_lowest_the_highest_and_the_ends_stay_and_the_order_too(y: list[float], most: int) -> None:
    x, finite = np.arange(len(y)), np.isfinite(y)
    before = np.array(y)[finite]

    across, up = thin(x, np.array(y, dtype=float), most)

    assert len(up) <= most
    assert (np.diff(across) > 0).all()
    if len(before):
        assert (up.min(), up.max()) == (before.min(), before.max())
        assert (across[0], across[-1]) == (x[finite][0], x[finite][-1])
    assert all(y[place] == height for place, height in zip(across, up, strict=True))


def test_a_spike_in_a_long_run_stays() -> None:
    y = np.ones(100_000)
    y[54_321] = 9.0

    x, thinned = thin(np.arange(100_000), y, 1000)

    assert len(thinned) <= 1000
    assert x[thinned.argmax()] == 54_321


@pytest.mark.parametrize("points", [0, 1, 10])
def test_few_points_are_left_alone(points: int) -> None:
    x, y = thin(np.arange(points), np.ones(points), 10)

    assert (len(x), len(y)) == (points, points)
