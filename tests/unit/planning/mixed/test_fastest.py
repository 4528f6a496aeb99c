"""The fastest mapping: refusals, rounding, and its own speed."""

import time

import pytest

from vfnb.ground import PlanError
from vfnb.planning import even, fastest, levelled
from vfnb.spec import Layout, Mapping


def test_three_speeds_share_by_their_speed() -> None:
    assert fastest(Layout(28, 28), {0: 2.0, 1: 4.0, 2: 8.0}).counts == {0: 16, 1: 8, 2: 4}


def test_more_workers_than_blocks_are_left_out() -> None:
    assert fastest(Layout(6, 2), {0: 3.0, 1: 1.0, 2: 1.0}).workers == (1, 2)


def test_times_that_differ_by_rounding_alone_are_equal_and_fewer_workers_win() -> None:
    assert 9 * 0.2 != 6 * 0.3

    found = fastest(Layout(15, 5), {0: 0.2, 1: 0.3, 2: 0.3}, communication=0.1)

    assert found.counts == {0: 9, 1: 6}


def test_a_present_mapping_that_is_as_fast_as_any_stays() -> None:
    present = Mapping(Layout(5, 5), ((0, (0, 3)), (1, (1, 2, 4))))

    assert fastest(present.layout, {0: 1.0, 1: 1.0}, near=present) == present


def test_a_worker_that_is_gone_hands_its_nodes_over() -> None:
    layout = Layout(8, 8)

    found = fastest(layout, {1: 1.0, 2: 1.0}, near=even(layout, [0, 1]))

    assert found.blocks_of(1) == (4, 5, 6, 7)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_a_time_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(PlanError, match=r"worker 3 takes .* seconds a pass"):
        fastest(Layout(4, 4), {3: seconds})


def test_no_worker_is_refused() -> None:
    with pytest.raises(PlanError, match="no worker is there"):
        fastest(Layout(4, 4), {})


@pytest.mark.parametrize("nodes", [4096, 5000])
def test_eight_kinds_of_64_devices_and_4096_blocks_take_no_second(nodes: int) -> None:
    layout = Layout(nodes, 4096)
    seconds = {worker: 0.01 * (1 + (worker % 8) ** 1.5) for worker in range(8 * 64)}
    near = even(layout, range(300))

    times = []
    for _ in range(5):
        begun = time.thread_time()  # this thread's own work: a collection of the whole heap may fall into one of them
        fastest(layout, seconds, near)
        times.append(time.thread_time() - begun)

    assert min(times) < 1.0  # ten times the stated figure


def test_blocks_that_come_in_later_follow_the_speeds_too() -> None:
    mapping = fastest(Layout(24, 12, ((9, 8),)), {0: 1.0, 1: 2.0})

    assert mapping.counts == {0: 16, 1: 8}
    assert mapping.at(1).counts == {0: 6, 1: 2}


def test_a_worker_that_is_slow_beyond_use_keeps_a_block_when_nobody_is_left_out() -> None:
    assert fastest(Layout(6, 6), {0: 1.0, 1: 1.0, 2: 100.0}).counts == {0: 3, 1: 3}

    assert levelled(Layout(6, 6), {0: 1.0, 1: 1.0, 2: 100.0}).counts[2] == 1


def test_more_workers_than_blocks_cannot_all_have_one() -> None:
    with pytest.raises(PlanError, match="3 workers cannot share"):
        levelled(Layout(6, 2), {0: 1.0, 1: 1.0, 2: 1.0})


def test_times_of_other_workers_than_the_mapping_has_are_refused() -> None:
    layout = Layout(4, 4)

    with pytest.raises(PlanError, match=r"times of workers \[0\] do not fit a mapping of \[0, 1\]"):
        levelled(layout, {0: 1.0}, near=even(layout, [0, 1]))


def test_nobody_is_left_out_of_the_blocks_that_a_job_begins_with() -> None:
    mapping = levelled(Layout(24, 12, ((9, 8),)), {0: 1.0, 1: 2.0, 2: 100.0})

    assert mapping.workers == (0, 1, 2)
    assert mapping.at(1).counts[2] == 2
