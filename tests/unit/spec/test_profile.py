"""A profile interpolates, merges with its own kind and refuses others by name."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vfnb.ground import SpecError
from vfnb.spec import Device, DeviceProfile, Point, Profile, Speeds, from_json, to_json


def point(samples: int, seconds: float = 1.0, memory: int = 1) -> Point:
    return Point(samples=samples, seconds=seconds, memory_bytes=memory)


def speed(*points: Point, device: str = "cpu", hardware: str = "slow", too_large: int | None = None) -> DeviceProfile:
    return DeviceProfile(
        device=device,
        hardware=hardware,
        points=points,
        block_seconds=0.1,
        step_seconds=0.2,
        too_large=too_large,
    )


def profile(*speeds: DeviceProfile, **subject: str) -> Profile:
    return Profile(subject={"model": "Net"} | subject, versions={"torch": "2.13"}, speeds=speeds)


MEASURED = speed(point(4, 1.0, 100), point(8, 1.5, 200), point(16, 3.0, 400))


@pytest.mark.parametrize(
    ("samples", "seconds", "memory"), [(4, 1.0, 100), (6, 1.25, 150), (16, 3.0, 400), (24, 4.5, 600), (2, 0.75, 50)]
)
def test_between_points_a_line_is_taken(samples: int, seconds: float, memory: int) -> None:
    assert MEASURED.pass_seconds(samples) == pytest.approx(seconds)
    assert MEASURED.pass_bytes(samples) == memory


def test_one_point_scales_time_and_keeps_memory() -> None:
    one = speed(point(4, 1.0, 100))

    assert (one.pass_seconds(8), one.pass_bytes(8)) == (2.0, 100)


@given(seconds=st.lists(st.floats(0.001, 10), min_size=2, max_size=6), samples=st.integers(1, 200))
def test_no_pass_takes_less_than_nothing(seconds: list[float], samples: int) -> None:
    one = speed(*(point(2**place, took) for place, took in enumerate(seconds)))

    assert one.pass_seconds(samples) > 0


def test_merged_speeds_have_all_points_and_the_other_ones_where_both_have() -> None:
    merged = MEASURED.merged(speed(point(8, 1.2), point(32, 5.0), too_large=64))

    assert [one.samples for one in merged.points] == [4, 8, 16, 32]
    assert (merged.pass_seconds(8), merged.too_large) == (1.2, 64)
    assert all(one.samples < other.samples for one, other in pairwise(merged.points))


def test_merged_profiles_have_all_devices() -> None:
    merged = profile(MEASURED).merged(profile(speed(point(2), device="cuda", hardware="H200"), MEASURED))

    assert [one.device for one in merged.speeds] == ["cpu", "cuda"]
    assert merged.speed(Device("cuda", 3), "H200") is not None
    assert merged.speed(Device("cpu", 0, 4), "slow") is None


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (profile(MEASURED, model="Other"), "its model is Other, here it is Net"),
        (replace(profile(MEASURED), versions={"torch": "3"}), "its torch is 3, here it is 2.13"),
        (profile(MEASURED, precision="bf16"), "its precision is bf16, here it is not known"),
    ],
)
def test_another_task_or_version_is_refused_with_the_difference_named(other: Profile, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        other.check_is_of({"model": "Net"}, {"torch": "2.13"})
    with pytest.raises(SpecError, match="of another task or version"):
        profile(MEASURED).merged(other)


def test_a_profile_is_equal_after_json() -> None:
    assert from_json(to_json(profile(MEASURED, sample="float32[3]"))) == profile(MEASURED, sample="float32[3]")


def test_rates_are_samples_a_second_by_device_and_batch() -> None:
    rates = profile(MEASURED, speed(point(2, 0.5), device="cuda"), speed(point(1), hardware="fast")).rates

    assert rates == {
        "unit": "samples/s",
        "devices": {
            "cpu (slow)": {"4": 4 / 1.1, "8": 8 / 1.6, "16": 16 / 3.1},
            "cuda": {"2": 2 / 0.6},
            "cpu (fast)": {"1": 1 / 1.1},
        },
    }


def test_the_solver_takes_a_profile_with_each_blocks_part_and_with_noise_taken_out() -> None:
    noisy = profile(speed(point(4, 1.0), point(8, 2.0), point(16, 1.8)), speed(point(4, 0.4), device="cuda"))

    speeds = Speeds.from_profile(noisy)

    assert dict(speeds.of("cpu").points) == pytest.approx({4: 1.1, 8: 1.9, 16: 1.9})
    assert speeds.of("cuda").points == ((4, 0.5),)
    assert speeds.communication is None
    assert Speeds.from_text(to_json(noisy)) == speeds


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: point(0),
        lambda: point(1, 0.0),
        lambda: point(1, float("nan")),
        lambda: point(1, True),
        speed,
        lambda: speed(point(2), point(1)),
        lambda: profile(MEASURED, MEASURED),
        lambda: replace(MEASURED, step_seconds=-1.0),
        lambda: replace(MEASURED, too_large=0),
    ],
)
def test_what_cannot_have_been_measured_is_refused(wrong: object) -> None:
    with pytest.raises(SpecError, match=r"give|merge"):
        wrong()  # type: ignore[operator]  # every one of them can be called
