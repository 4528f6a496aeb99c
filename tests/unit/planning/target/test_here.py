"""A step on this machine, by what a device reaches."""

import pytest

from vfnb.planning import Roof, known, step_measured, step_under
from vfnb.spec import VirtualCluster

ROOF = Roof(flops_per_s=1e11, bytes_per_s=1e10)
CLUSTER = VirtualCluster.parse("64xV100", global_batch=512)


def test_two_devices_take_half_as_long_and_one_twice_as_fast_about_half() -> None:
    one = step_under(ROOF, known("resnet50", "fp32"), CLUSTER, 1)
    two = step_under(ROOF, known("resnet50", "fp32"), CLUSTER, 2)
    fast = step_under(Roof(flops_per_s=2e11, bytes_per_s=2e10), known("resnet50", "fp32"), CLUSTER, 1)

    assert two.mid == pytest.approx(one.mid / 2, rel=0.01)
    assert fast.mid == pytest.approx(one.mid / 2, rel=0.01)
    assert one.low < one.mid < one.high < 4 * one.low


def test_products_set_the_time_of_a_step_where_they_dominate() -> None:
    workload = known("bert-base", "fp32")

    found = step_under(ROOF, workload, CLUSTER, 1)

    assert found.low > workload.flops_per_sample * 512 / 1e11


def test_sixteen_bits_on_the_target_are_32_here() -> None:
    low = step_under(ROOF, known("resnet50", "fp16"), CLUSTER, 1)

    assert low.mid == pytest.approx(step_under(ROOF, known("resnet50", "fp32"), CLUSTER, 1).mid, rel=0.05)


def test_a_profile_narrows_the_range_to_what_it_is_held_to() -> None:
    found = step_measured(2.0)

    assert (found.low, found.mid, found.high) == pytest.approx((2 / 1.15, 2.0, 2.3))
