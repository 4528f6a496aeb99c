"""Even mappings, and the survivors' after a loss."""

import pytest

from vfnb.ground import PlanError
from vfnb.planning import even, moves, remap
from vfnb.spec import Layout, Mapping

LAYOUT = Layout(64, 32)


@pytest.mark.parametrize(
    ("workers", "counts"),
    [([0], {0: 64}), ([0, 1], {0: 32, 1: 32}), ([0, 1, 2], {0: 22, 1: 22, 2: 20}), ([9, 4], {4: 32, 9: 32})],
)
def test_every_worker_gets_its_even_share(workers: list[int], counts: dict[int, int]) -> None:
    assert even(LAYOUT, workers).counts == counts


def test_a_fresh_mapping_has_consecutive_blocks_in_the_order_of_ids() -> None:
    assert even(Layout(7, 7), [5, 1, 3]).blocks == ((1, (0, 1, 2)), (3, (3, 4)), (5, (5, 6)))


def test_a_worker_that_joins_takes_blocks_and_nothing_else_moves() -> None:
    before = even(LAYOUT, [0, 1])

    after = even(LAYOUT, [0, 1, 2], near=before)

    assert {move.target for move in moves(before, after)} == {2}
    assert len(moves(before, after)) == 10


def test_a_worker_that_leaves_gives_its_blocks_and_nothing_else_moves() -> None:
    before = even(LAYOUT, [0, 1, 2])

    after = even(LAYOUT, [1, 2], near=before)

    assert {move.source for move in moves(before, after)} == {0}
    assert after.counts == {1: 32, 2: 32}


def test_all_workers_may_be_new() -> None:
    before = even(LAYOUT, [0, 1])

    after = even(LAYOUT, [2, 3, 4], near=before)

    assert after.counts == even(LAYOUT, [2, 3, 4]).counts


def test_an_even_mapping_stays_as_it_is() -> None:
    # The extras lie on the highest ids: to move them to the lowest would be to move for nothing.
    before = Mapping(Layout(5, 5), ((0, (1,)), (1, (0, 3)), (2, (2, 4))))

    assert even(before.layout, before.workers, near=before) == before


@pytest.mark.parametrize(
    ("layout", "workers", "said"),
    [
        (
            LAYOUT,
            33,
            r"33 workers .* 64 virtual nodes in 32 blocks.* at most 32 workers.*Options\(blocks=33\)",
        ),
        (Layout(4, 4), 5, "5 workers .* at most 4 workers, or a new job with at least 5 virtual nodes"),
        (LAYOUT, 0, "no worker is left"),
    ],
)
def test_refuses_more_workers_than_blocks_or_none(layout: Layout, workers: int, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        even(layout, range(workers))


def test_refuses_a_worker_named_twice() -> None:
    with pytest.raises(PlanError, match=r"workers=\[1, 1\] names a worker twice"):
        even(LAYOUT, [1, 1])


def test_refuses_to_stay_near_another_layouts_mapping() -> None:
    with pytest.raises(PlanError, match="64 virtual nodes in 16 blocks, not of 64 in 32"):
        even(LAYOUT, [0, 1], near=even(Layout(64, 16), [0, 1]))


def test_survivors_keep_their_blocks_and_share_the_lost_ones() -> None:
    before = even(LAYOUT, [0, 1, 2])

    after = remap(before, {0})

    assert after.counts == {1: 32, 2: 32}
    assert set(before.blocks_of(1)) <= set(after.blocks_of(1))
    assert set(before.blocks_of(2)) <= set(after.blocks_of(2))


def test_an_uneven_mapping_stays_as_uneven_after_a_loss() -> None:
    before = Mapping(Layout(10, 10), ((0, (0, 1, 2, 3, 4, 5)), (1, (6,)), (2, (7, 8, 9))))

    after = remap(before, [2])

    assert after.blocks == ((0, (0, 1, 2, 3, 4, 5, 7)), (1, (6, 8, 9)))


def test_several_may_be_lost_and_strangers_are_ignored() -> None:
    assert remap(even(LAYOUT, [0, 1, 2]), [0, 2, 77]).counts == {1: 64}
    assert remap(even(LAYOUT, [0, 1]), [77]) == even(LAYOUT, [0, 1])


def test_a_loss_of_all_is_refused() -> None:
    with pytest.raises(PlanError, match="no worker is left"):
        remap(even(LAYOUT, [0, 1]), [0, 1])


def test_there_are_no_more_workers_than_the_job_begins_with_blocks() -> None:
    with pytest.raises(
        PlanError,
        match=r"^5 workers cannot share 4 virtual nodes in 4 blocks that the job begins with, .*"
        r"use at most 4 workers, or a new job with at least 5 virtual nodes$",
    ):
        even(Layout(20, 20, ((9, 16),)), range(5))


def test_blocks_that_come_in_go_to_whoever_has_fewer() -> None:
    assert even(Layout(6, 6, ((9, 3),)), [0, 1]).blocks == ((0, (0, 1, 3)), (1, (2, 4, 5)))
