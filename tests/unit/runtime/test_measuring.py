"""What is read off the moments of measured steps."""

import pytest

from vfnb.runtime.measuring import _Moments, _overheads, _reading

_PASS, _BLOCK, _TALLY, _STEP = 1.0, 0.3, 0.05, 2.0


def _moments(blocks: list[int], slower: float = 1.0) -> _Moments:
    """Make up a step of blocks of so many passes; its own part lies at its end."""
    now, passes = 0.0, []
    for block in blocks:
        for place in range(block):
            passes.append(now)
            now += (_PASS + (_BLOCK if place == 0 else 0.0)) * slower
    return _Moments(begun=0.0, passes=passes, computed=(now := now + len(blocks) * _TALLY), ended=now + _STEP)


def test_what_a_block_and_a_step_add_is_told_apart() -> None:
    found = _overheads([_moments([1, 1, 1, 1])], [_moments([2, 2])])

    assert found.block_seconds == pytest.approx(_BLOCK)
    assert found.tally_seconds == pytest.approx(_TALLY)
    assert found.step_seconds == pytest.approx(_STEP)


def test_a_pass_is_timed_with_its_blocks_part_between_two_others() -> None:
    found = _reading(4, [_moments([1, 1, 1]), _moments([1, 1, 1]), _moments([1, 1, 1], slower=3.0)], memory=7)

    assert found.seconds == pytest.approx(_PASS + _BLOCK)
    assert (found.samples, found.passes, found.memory_bytes) == (4, 3, 7)


def test_nothing_costs_less_than_nothing() -> None:
    found = _overheads([_moments([1, 1, 1, 1], slower=0.5)], [_moments([2, 2], slower=2.0)])

    assert found.block_seconds == 0.0
    assert min(found.tally_seconds, found.step_seconds) >= 0.0
