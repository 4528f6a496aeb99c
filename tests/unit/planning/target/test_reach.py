"""Time to train against the number of devices."""

from dataclasses import replace
from itertools import pairwise

import pytest

from vfnb.ground import SpecError
from vfnb.planning import Estimate, curves, estimate_known
from vfnb.spec import VirtualCluster


def lamb(**given: object) -> Estimate:
    pod = VirtualCluster.parse("1024xTPUv3", global_batch=32768)
    return estimate_known("bert-large", pod, sequence=128, **given)  # type: ignore[arg-type]  # the caller's to know


def test_the_targets_own_kind_is_first_and_has_the_targets_own_time() -> None:
    found = lamb(steps=1000)

    own, *others = curves(found)

    (target,) = [one for one in own.reaches if one.devices == 1024]
    assert own.accelerator == "TPU v3"
    assert target.seconds == found.run_seconds
    assert target.verdict == found.memory.verdict
    assert others
    assert own.accelerator not in [curve.accelerator for curve in others]


def test_memory_is_a_wall_with_all_that_fits_on_one_side() -> None:
    for curve in curves(lamb()):
        sides = [one.fits for one in curve.reaches]

        assert sides == sorted(sides), "more devices have less of the batch each"
        assert curve.wall is not None
        assert curve.wall.devices == next(one.devices for one in curve.reaches if one.fits)
        assert curve.wall.devices > 1, "32,768 sequences fit no single device"
        assert all(one.seconds.low <= one.seconds.mid <= one.seconds.high for one in curve.reaches)


def test_more_devices_than_samples_are_not_looked_at() -> None:
    small = VirtualCluster.parse("8xV100", global_batch=24)

    own, *_ = curves(estimate_known("resnet50", small))

    assert [one.devices for one in own.reaches] == [1, 2, 4, 8, 16]
    assert all(one.batch_per_device >= 1 for one in own.reaches)


def test_a_step_is_drawn_where_the_length_is_not_known_and_what_was_measured_counts() -> None:
    slice_ = VirtualCluster.parse("16xTPUv3", global_batch=512)
    measured = replace(estimate_known("bert-large", slice_, measured={slice_: 1.0}), length=None)

    (at,) = [one for one in curves(measured, ["V100"])[0].reaches if one.devices == 16]

    assert at.seconds == measured.step_seconds
    assert at.seconds.mid == pytest.approx(1.0, rel=0.05)


def test_other_kinds_are_those_asked_for_and_an_unknown_one_is_refused() -> None:
    assert [curve.accelerator for curve in curves(lamb(), ["H100", "TPU v3"])] == ["TPU v3", "H100 SXM 80GB"]
    with pytest.raises(SpecError, match="H1000"):
        curves(lamb(), ["H1000"])


def test_twice_the_devices_never_take_longer_while_each_has_hundreds_of_samples() -> None:
    for curve in curves(lamb()):
        busy = [one for one in curve.reaches if one.batch_per_device >= 256]

        assert all(more.seconds.mid < fewer.seconds.mid for fewer, more in pairwise(busy))
