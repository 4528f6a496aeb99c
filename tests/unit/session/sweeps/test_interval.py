from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from vfnb.session.sweeps.interval import breadth, factor_interval, interval

few = st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=40)


@pytest.mark.parametrize("count", range(3, 60))
def test_breadth_is_students(count: int) -> None:
    assert breadth(count) * count**0.5 == pytest.approx(t.ppf(0.975, count - 1), abs=2e-4)


@given(values=few)
def test_the_mean_lies_inside(values: list[float]) -> None:
    found = interval(values)

    assert found.low <= found.mean <= found.high


@given(values=st.lists(st.floats(1, 1e6), min_size=3, max_size=20), factor=st.floats(0.1, 10))
def test_an_interval_of_factors_moves_with_a_factor_and_stays_above_0(values: list[float], factor: float) -> None:
    found, moved = factor_interval(values), factor_interval([factor * value for value in values])

    assert found.low > 0
    assert moved == pytest.approx([factor * end for end in found], rel=1e-6)


@pytest.mark.parametrize("values", [[2.0], [2.0, 2.0]])
def test_fewer_than_three_values_have_a_mean_alone(values: list[float]) -> None:
    found = interval(values)

    assert found.mean == 2.0
    assert isnan(found.low)
    assert isnan(found.high)
