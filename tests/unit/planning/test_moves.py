"""The difference of two mappings."""

import pytest

from vfnb.ground import PlanError
from vfnb.planning import Move, even, moves
from vfnb.spec import Layout, Mapping


def test_lists_the_blocks_that_change_their_worker_in_order() -> None:
    before = Mapping(Layout(8, 4), ((0, (0, 3)), (1, (1, 2))))
    after = Mapping(Layout(8, 4), ((0, (1,)), (1, (2,)), (2, (0, 3))))

    assert moves(before, after) == (Move(0, 0, 2), Move(1, 1, 0), Move(3, 0, 2))


def test_equal_mappings_have_no_difference() -> None:
    mapping = even(Layout.of(64), [0, 1, 2])

    assert moves(mapping, mapping) == ()


def test_refuses_mappings_of_two_layouts() -> None:
    with pytest.raises(PlanError, match="8 virtual nodes in 4 blocks, not of 8 in 8"):
        moves(even(Layout(8, 4), [0]), even(Layout(8, 8), [0]))
