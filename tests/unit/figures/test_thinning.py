import pytest

from vfnb.figures import smoothed, thinned


def test_a_spike_survives_thinning() -> None:
    points = [(float(step), 1.0) for step in range(100_000)]
    points[54_321] = (54_321.0, 9.0)

    kept = thinned(points, 500)

    assert len(kept) <= 502
    assert (54_321.0, 9.0) in kept
    assert kept[0] == points[0]
    assert kept[-1] == points[-1]
    assert kept == sorted(kept)


def test_few_points_stay_as_they_are() -> None:
    assert thinned([(1.0, 2.0), (2.0, 1.0)], 500) == [(1.0, 2.0), (2.0, 1.0)]


def test_smoothing_begins_where_the_curve_does_and_follows_a_level() -> None:
    level = smoothed([(float(step), 3.0) for step in range(50)], span=10)
    step_up = smoothed([(0.0, 0.0)] * 50 + [(1.0, 1.0)] * 50, span=10)

    assert [y for _, y in level] == pytest.approx([3.0] * 50)
    assert step_up[0] == (0.0, 0.0)
    assert 0 < step_up[52][1] < 0.6
    assert step_up[-1][1] == pytest.approx(1.0, abs=1e-3)


def test_a_span_of_one_smooths_nothing() -> None:
    points = [(1.0, 5.0), (2.0, 1.0)]

    assert smoothed(points, span=1) == points
