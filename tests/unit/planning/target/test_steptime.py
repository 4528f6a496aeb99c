"""A step's range: what measured steps do to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vfnb.planning import Range, known
from vfnb.planning.target.steptime import slowest_of, step_seconds
from vfnb.spec import VirtualCluster

NET = known("resnet50", "bf16")


def on(text: str, batch: int) -> VirtualCluster:
    return VirtualCluster.parse(text, global_batch=batch)


def width(span: Range) -> float:
    return span.high / span.low


def test_a_range_is_never_a_bare_number() -> None:
    span = step_seconds(NET, on("8xV100", 512), {})

    assert 0 < span.low < span.mid < span.high
    assert 1.5 < width(span) < 4


def test_what_was_measured_is_given_back() -> None:
    at = on("8xV100", 512)

    span = step_seconds(NET, at, {at: 0.2})

    assert span.mid == pytest.approx(0.2, rel=1e-6)
    assert width(span) < 1.2


@given(factor=st.floats(0.5, 2.5), devices=st.sampled_from([8, 64, 512, 4096]))
def test_one_measured_step_narrows_to_at_most_half_again(factor: float, devices: int) -> None:
    at = on("8xV100", 512)
    measured = {at: factor * step_seconds(NET, at, {}).mid}

    span = step_seconds(NET, on(f"{devices}xV100", 64 * devices), measured)

    assert span.low <= span.mid <= span.high
    assert width(span) <= 1.5


def test_two_measured_batches_give_a_line() -> None:
    small, large = on("1xV100", 16), on("1xV100", 256)
    measured = {small: 0.010 + 16 / 1000, large: 0.010 + 256 / 1000}

    span = step_seconds(NET, on("1xV100", 64), measured)

    # Traffic of weights bends the line a little at small batches.
    assert span.mid == pytest.approx(0.010 + 64 / 1000, rel=0.03)


def test_a_slower_measured_step_predicts_a_slower_one() -> None:
    at, far = on("8xV100", 512), on("64xV100", 4096)

    slow, fast = (step_seconds(NET, far, {at: seconds}).mid for seconds in (0.3, 0.2))

    assert slow == pytest.approx(1.5 * fast, rel=0.05)


def test_another_kind_is_scaled_by_what_both_reach_and_stays_wide() -> None:
    measured = {on("1xV100", 64): step_seconds(NET, on("1xV100", 64), {}).mid}

    span = step_seconds(NET, on("1xA100", 64), measured)

    assert span.mid == pytest.approx(step_seconds(NET, on("1xA100", 64), {}).mid, rel=0.1)
    assert width(span) > 1.5


def test_a_step_waits_longer_for_the_slowest_of_more_hosts() -> None:
    waits = [slowest_of(hosts) for hosts in (1, 2, 8, 64, 512)]

    assert waits == sorted(waits)
    assert waits[0] == 0
    assert waits[1] == pytest.approx(0.56, abs=0.04)  # the mean of the larger of two: 1 / sqrt(pi)
