import pytest

from vfnb.ground import PlanError
from vfnb.planning import levelled
from vfnb.session.policy import extended, first_mapping, policy, proposal
from vfnb.spec import Layout

LAYOUT = Layout(8, 4)


def test_a_job_begins_evenly() -> None:
    assert first_mapping(LAYOUT, 2).counts == {0: 4, 1: 4}


def test_refuses_more_workers_than_blocks_with_a_remedy() -> None:
    with pytest.raises(PlanError, match=r"Options\(blocks="):
        first_mapping(LAYOUT, 5)


def test_a_resize_moves_few_blocks() -> None:
    before = first_mapping(LAYOUT, 2)

    after = policy().spread(before, [1, 7])

    assert after.blocks_of(1) == before.blocks_of(1)
    assert after.workers == (1, 7)


def test_survivors_take_over() -> None:
    assert policy().remap(first_mapping(LAYOUT, 2), [0]).counts == {1: 8}


def test_a_proposal_is_made_for_the_mapping_at_the_time_of_the_switch() -> None:
    now = first_mapping(LAYOUT, 2)
    propose = proposal(now, {0: 6, 1: 2})

    assert propose(now).counts == {0: 6, 1: 2}
    assert propose(propose(now)).blocks == propose(now).blocks


def test_nodes_of_several_sizes_go_to_workers_in_their_order() -> None:
    layout = Layout(6, 6, samples=(2, 2, 2, 2, 8, 8))
    present = first_mapping(layout, 2)

    assert proposal(present, {0: 4, 1: 2})(present).nodes_of(1) == (4, 5)
    assert proposal(present, {0: 1, 1: 5})(proposal(present, {0: 5, 1: 1})(present)).nodes_of(0) == (0,)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({0: 4, 1: 2, 5: 2}, "there is no worker 5; the workers are 0, 1"),
        ({0: 8}, "worker 1 is left out; give every worker .* or resize"),
        ({0: 5, 1: 3}, "the nearest possible: 4 and 6"),
        ({0: 8, 1: 0}, "cannot own 0"),
        ({0: 4, 1: 2}, "sum to 6 virtual nodes, but there are 8"),
    ],
)
def test_refuses_a_map_at_once(counts: dict[int, int], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        proposal(first_mapping(LAYOUT, 2), counts)


def test_counts_of_the_blocks_that_are_there_leave_the_later_ones_in_proportion() -> None:
    now = first_mapping(Layout(24, 12, ((9, 4), (20, 4))), 2)

    asked = proposal(now.at(9), {0: 12, 1: 4})(now)

    assert [asked.at(step).counts for step in (1, 9, 20)] == [{0: 6, 1: 2}, {0: 12, 1: 4}, {0: 18, 1: 6}]


def test_a_mapping_by_speed_of_the_blocks_that_are_there_is_extended_to_the_later_ones() -> None:
    now = first_mapping(Layout(24, 12, ((9, 4), (20, 4))), 2)

    after = levelled(now.at(9).layout, {0: 1.0, 1: 3.0}, near=now.at(9))

    assert extended(after, now).at(9) == after
    assert extended(after, now).counts == {0: 18, 1: 6}
    assert extended(extended(after, now), now) == extended(after, now)
