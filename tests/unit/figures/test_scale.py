from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vfnb.figures.scale import Scale, factors_scale, said, steps_scale, values_scale, within_reach

values = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20)


@given(values=values)
def test_every_value_has_its_place_between_the_ends(values: list[float]) -> None:
    scale = values_scale(values)

    assert all(0 <= scale.share(value) <= 1 for value in values)


@given(values=values, count=st.integers(2, 9))
def test_ticks_ascend_within_the_axis_and_are_few(values: list[float], count: int) -> None:
    scale = values_scale(values)

    ticks = scale.ticks(count)

    assert len(ticks) <= 3 * count
    assert all(one < other for one, other in pairwise(ticks))
    assert all(-1e-6 <= scale.share(tick) <= 1 + 1e-6 for tick in ticks)


def test_values_over_decades_are_on_a_logarithmic_axis() -> None:
    scale = values_scale([100.0, 1.0, 0.01])

    assert scale.logarithmic
    assert scale.share(100.0) - scale.share(1.0) == pytest.approx(scale.share(1.0) - scale.share(0.01))
    assert not values_scale([100.0, 0.0]).logarithmic
    assert not values_scale([1.0, 2.0]).logarithmic


@given(middles=values, edges=values)
def test_values_take_up_at_least_half_of_an_axis_that_shows_intervals_too(
    middles: list[float], edges: list[float]
) -> None:
    shown = within_reach(middles, edges)

    wide = max(middles) - min(middles)
    assert set(middles) <= set(shown)
    assert wide == 0 or max(shown) - min(shown) <= 2 * wide * (1 + 1e-9)


def test_marks_are_an_axis_own_ticks_and_thinned_where_there_are_many() -> None:
    few, many = [32, 64, 128], [2**power for power in range(20)]

    assert factors_scale(few, marks=few).ticks(8) == (32, 64, 128)
    assert factors_scale(many, marks=many).ticks(8) == tuple(many[::3])


@given(values=st.lists(st.floats(1e-3, 1e9), min_size=1, max_size=9))
def test_factors_have_ticks_between_their_ends(values: list[float]) -> None:
    scale = factors_scale(values)

    assert all(0 <= scale.share(value) <= 1 for value in values)
    assert len(scale.ticks(5)) <= 15


def test_one_step_has_an_axis() -> None:
    assert steps_scale([7]) == Scale(7, 8)


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (0.25, "0.25"), (20_000, "20,000"), (1e9, "1e+09"), (0.1 + 0.2, "0.3")]
)
def test_a_tick_is_said_in_few_digits(value: float, text: str) -> None:
    assert said(value) == text
