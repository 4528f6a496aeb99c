"""Mappings: every block on exactly one worker."""

import pytest

from vfnb.ground import PlanError
from vfnb.spec import Layout, Mapping

LAYOUT = Layout(10, 4)


def test_says_who_owns_what_in_virtual_nodes() -> None:
    mapping = Mapping(LAYOUT, ((7, (3, 0)), (2, (1, 2))))

    assert mapping.workers == (2, 7)
    assert mapping.blocks == ((2, (1, 2)), (7, (0, 3)))
    assert mapping.blocks_of(7) == (0, 3)
    assert mapping.nodes_of(7) == (0, 1, 2, 8, 9)
    assert mapping.nodes_of(2) == (3, 4, 5, 6, 7)
    assert mapping.counts == {2: 5, 7: 5}


def test_the_order_it_is_given_in_does_not_matter() -> None:
    one = Mapping(LAYOUT, ((0, (1, 0)), (1, (3, 2))))
    other = Mapping(LAYOUT, ((1, (2, 3)), (0, (0, 1))))

    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        ((), "at least one worker"),
        (((0, (0, 1, 2)),), "virtual node 8, 9 is on no worker"),
        (((0, (0, 1, 2, 3)), (1, (3,))), "virtual node 8, 9 is mapped twice"),
        (((0, (0, 1, 2, 3, 3)),), "virtual node 8, 9 is mapped twice"),
        (((0, (0, 1, 2, 3)), (1, ())), "worker 1 has no virtual nodes"),
        (((0, (0, 1)), (0, (2, 3))), "worker 0 stands twice"),
        (((0, (0, 1, 2, 3, 4)),), "block 4 does not exist; there are blocks 0 to 3"),
        (((0, (-1, 0, 1, 2, 3)),), "block -1 does not exist"),
    ],
)
def test_refuses_a_mapping_that_misses_or_doubles(blocks: tuple[tuple[int, tuple[int, ...]], ...], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        Mapping(LAYOUT, blocks)


def test_a_long_list_of_missing_nodes_is_cut_short() -> None:
    with pytest.raises(PlanError, match=r"virtual node 32, 33, .* 39 and 984 more is on no worker"):
        Mapping(Layout.of(1024), ((0, (0,)),))


def test_refuses_a_worker_that_has_no_part() -> None:
    mapping = Mapping(LAYOUT, ((0, (0, 1)), (3, (2, 3))))

    with pytest.raises(PlanError, match="worker 1 is not in this mapping; its workers are 0, 3"):
        mapping.nodes_of(1)
