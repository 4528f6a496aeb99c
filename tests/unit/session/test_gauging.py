"""How rounds of measuring are put together."""

from collections.abc import Iterator

import pytest
from measured import speed_of

from vfnb.ground import SpecError
from vfnb.runtime import Reading, TooLarge
from vfnb.runtime.measuring import Overheads
from vfnb.session.gauging import _joined, _opened, levelled
from vfnb.spec import Device

CPU = Device("cpu", 0)


def reading(samples: int, seconds: float, block: float | None = None) -> Reading:
    overheads = None if block is None else Overheads(block_seconds=block, tally_seconds=0.01, step_seconds=0.5)
    return Reading(samples=samples, seconds=seconds, passes=2, memory_bytes=int(1000 * seconds), overheads=overheads)


def test_a_round_that_was_disturbed_does_not_count() -> None:
    quiet = [reading(1, 1.1, block=0.1), reading(2, 2.1)]
    disturbed = [reading(1, 5.0, block=3.0), reading(2, 9.0)]

    found = _joined([*quiet, *disturbed, *quiet], CPU, too_large=4)

    assert [point.samples for point in found.points] == [1, 2]
    assert [point.seconds for point in found.points] == pytest.approx([1.0, 2.0])
    assert [point.passes for point in found.points] == [6, 6]
    assert (found.block_seconds, found.step_seconds) == pytest.approx((0.11, 0.5))
    assert found.too_large == 4


def test_a_smaller_pass_needs_what_it_needed_before_larger_ones_were_tried() -> None:
    found = _joined([reading(1, 1.0, block=0.0), reading(2, 2.0), reading(1, 1.5, block=0.0)], CPU, None)

    assert [point.memory_bytes for point in found.points] == [1000, 2000]


def test_sizes_end_at_a_pass_that_takes_too_long() -> None:
    answers: Iterator[Reading] = iter([reading(1, 2.0, block=0.0), reading(2, 5.0), reading(3, 6.0)])

    found, too_large = _opened(answers, CPU, None)

    assert [one.samples for one in found] == [1, 2]
    assert too_large is None
    assert next(answers).samples == 3, "nothing was measured that is not looked at"


def test_sizes_end_where_larger_ones_are_no_faster_with_what_was_known_before() -> None:
    known = speed_of(float)

    found, _ = _opened(iter([reading(1, 1.0, block=0.0), reading(64, 64.0), reading(96, 96.0)]), CPU, known)

    assert [one.samples for one in found] == [1], "a known profile that is level already"


def test_the_first_size_must_fit() -> None:
    with pytest.raises(SpecError, match="a pass of 8 samples does not fit cpu:0, and nothing smaller"):
        _opened([TooLarge(samples=8)], CPU, None)


@pytest.mark.parametrize(("gain", "level"), [(1.0, True), (1.01, True), (1.03, False)])
def test_level_is_where_four_sizes_bring_next_to_nothing(gain: float, level: bool) -> None:
    times = [(1, 1.0), (2, 2.0), (3, 3.0), (4, 4.0), (6, 6.0 / gain)]

    assert levelled(times) is level
    assert not levelled(times[:4])
