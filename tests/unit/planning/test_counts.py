"""Mappings by explicit counts of virtual nodes."""

import pytest

from vfnb.ground import PlanError
from vfnb.planning import by_counts, even, moves
from vfnb.spec import Layout, Mapping

LAYOUT = Layout(64, 32)


def test_counts_are_met_with_consecutive_blocks() -> None:
    mapping = by_counts(LAYOUT, {1: 16, 0: 48})

    assert mapping.counts == {0: 48, 1: 16}
    assert mapping.nodes_of(0) == tuple(range(48))


def test_the_counts_of_an_even_mapping_give_that_mapping() -> None:
    mapping = even(Layout(70, 32), [0, 1, 2])

    assert by_counts(mapping.layout, mapping.counts) == mapping


def test_blocks_of_both_sizes_are_chosen_to_meet_the_counts() -> None:
    # Blocks of 3, 2, 2 and 2: four nodes are two small blocks that are not the first.
    mapping = by_counts(Layout(9, 4), {0: 4, 1: 5})

    assert mapping.counts == {0: 4, 1: 5}
    assert 0 in mapping.blocks_of(1)


def test_only_what_must_moves() -> None:
    before = even(LAYOUT, [0, 1])

    after = by_counts(LAYOUT, {0: 40, 1: 20, 2: 4}, near=before)

    assert after.counts == {0: 40, 1: 20, 2: 4}
    assert [(move.source, move.target) for move in moves(before, after)].count((1, 0)) == 4
    assert [(move.source, move.target) for move in moves(before, after)].count((1, 2)) == 2
    assert len(moves(before, after)) == 6


def test_a_worker_that_keeps_its_count_keeps_its_blocks() -> None:
    before = Mapping(Layout(9, 4), ((0, (0, 3)), (1, (1, 2))))

    assert by_counts(before.layout, {0: 5, 1: 4}, near=before) == before


@pytest.mark.parametrize("small_ones", [0, 1, 2])
def test_two_small_blocks_are_not_changed_for_a_large_one(small_ones: int) -> None:
    first, second = (worker for worker in range(3) if worker != small_ones)
    before = Mapping(Layout(6, 4), ((small_ones, (2, 3)), (first, (0,)), (second, (1,))))

    assert by_counts(before.layout, {0: 2, 1: 2, 2: 2}, near=before) == before


@pytest.mark.parametrize(
    ("layout", "counts", "said"),
    [
        (LAYOUT, {0: 47, 1: 17}, "worker 0 cannot own 47 .* 2 virtual nodes .*nearest possible: 46 and 48$"),
        (LAYOUT, {0: 1, 1: 63}, "worker 0 cannot own 1 .*nearest possible: 2$"),
        (LAYOUT, {0: 63, 1: 1}, "worker 0 cannot own 63 .*nearest possible: 62$"),
        (LAYOUT, {0: 62, 1: 1, 2: 1}, "worker 0 cannot own 62 .*nearest possible: 60$"),
        (Layout(6, 4), {0: 1, 1: 1, 2: 1, 3: 3}, "worker 2 cannot own 1 .* 1 or 2 .*nearest possible: 2$"),
        (Layout(40, 4), {0: 20, 5: 14, 7: 6}, "worker 5 cannot own 14 .*nearest possible: 10$"),
    ],
)
def test_a_split_inside_a_block_is_refused_with_the_nearest_counts(
    layout: Layout, counts: dict[int, int], said: str
) -> None:
    with pytest.raises(PlanError, match=said):
        by_counts(layout, counts)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({0: 32, 1: 30}, "sum to 62 virtual nodes, but there are 64; add 2"),
        ({0: 32, 1: 36}, "sum to 68 virtual nodes, but there are 64; take away 4"),
        ({0: 64, 1: 0}, "worker 1 cannot own 0 virtual nodes"),
        ({0: 66, 1: -2}, "worker 1 cannot own -2 virtual nodes"),
        ({0: 32.0, 1: 32}, r"worker 0 cannot own 32\.0 virtual nodes"),
        ({}, "no worker is left"),
        (dict.fromkeys(range(64), 1), "64 workers cannot share"),
    ],
)
def test_counts_that_cannot_be_are_refused(counts: dict[int, int], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        by_counts(LAYOUT, counts)


def test_refuses_to_stay_near_another_layouts_mapping() -> None:
    with pytest.raises(PlanError, match="64 virtual nodes in 16 blocks, not of 64 in 32"):
        by_counts(LAYOUT, {0: 64}, near=even(Layout(64, 16), [0, 1]))
