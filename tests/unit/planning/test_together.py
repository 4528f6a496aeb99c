"""Choosing nodes a pass: predictions add up, what fits and is worth it wins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import speed_of

from vfnb.ground import SpecError
from vfnb.planning import Plan, Share, best, candidates, choice_of, share_of, sizes_to
from vfnb.spec import Layout, VirtualCluster

CLUSTER = VirtualCluster.parse("16", global_batch=64)
CONSTANT, LINEAR = speed_of(lambda samples: 0.01), speed_of(lambda samples: 0.01 * samples)


def choices(speed: object, numbers: tuple[int, ...] = (1, 2, 4), **given: object) -> list[object]:
    given = {"workers": 1} | given
    return [choice_of(number, CLUSTER, [speed], **given) for number in numbers]  # type: ignore[arg-type,list-item]


def test_a_step_is_its_passes_its_blocks_and_itself() -> None:
    speed = speed_of(lambda samples: 0.01 * samples, block_seconds=1.0, step_seconds=100.0)

    alone = choice_of(2, CLUSTER, [speed], workers=1)
    together = choice_of(2, CLUSTER, [speed], workers=3)

    assert (alone.blocks, alone.samples, alone.memory_bytes) == (8, 8, 8 << 20)
    assert alone.step_seconds == pytest.approx(8 * 0.08 + 8 + 100)
    assert together.step_seconds == pytest.approx(3 * 0.08 + 3 + 100)


def test_the_slowest_device_is_waited_for() -> None:
    found = choice_of(1, CLUSTER, [CONSTANT, speed_of(lambda samples: 0.02)], workers=2)

    assert found.step_seconds == pytest.approx(8 * 0.02)


def test_a_pass_is_cut_where_its_block_ends() -> None:
    found = choice_of(4, CLUSTER, [CONSTANT], workers=1, blocks=8)

    assert (found.samples, found.step_seconds) == (8, pytest.approx(8 * 0.01))


def test_larger_passes_win_where_they_are_free() -> None:
    assert best(choices(CONSTANT))[0] == 4  # type: ignore[arg-type]


def test_one_node_stays_where_nothing_is_won() -> None:
    number, why = best(choices(LINEAR))  # type: ignore[arg-type]

    assert number == 1
    assert why == "no larger pass is predicted to be 3% faster than one virtual node a pass"


def test_alike_choices_go_to_the_fewest_nodes() -> None:
    flat = speed_of(lambda samples: 0.01 if samples < 8 else 0.01 * samples / 8)

    assert best(choices(flat))[0] == 2  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [{"memory_bytes": 9 << 20}, {}])
def test_what_does_not_fit_does_not_win(given: dict[str, int]) -> None:
    speed = speed_of(lambda samples: 0.01, too_large=None if given else 16)

    found = choices(speed, **given)

    assert [one.fits for one in found] == [True, True, False]  # type: ignore[attr-defined]
    assert best(found)[0] == 2  # type: ignore[arg-type]


def test_nothing_to_choose_from_is_refused() -> None:
    with pytest.raises(SpecError, match="measure one virtual node's pass"):
        best([])


@given(nodes=st.integers(1, 2000), devices=st.integers(1, 16))
def test_every_candidate_leaves_blocks_enough_to_resize(nodes: int, devices: int) -> None:
    for number in candidates(nodes, None, devices):
        assert number == 1 or Layout.of(nodes, nodes_per_pass=number).blocks >= min(nodes, max(4, 2 * devices))


def test_fixed_blocks_bound_the_pass() -> None:
    assert candidates(16, 4, 1) == (1, 2, 3, 4)
    assert candidates(8, None, 1) == (1, 2)
    assert candidates(4, None, 1) == (1,)


def test_sizes_enclose_what_is_asked_for() -> None:
    assert sizes_to(20, 5) == (4, 6, 8, 12, 16, 24)
    assert sizes_to(1) == (1,)


def test_a_plan_shows_its_table_and_why() -> None:
    found = tuple(choices(CONSTANT))
    number, why = best(found)  # type: ignore[arg-type]

    plan = Plan(cluster=CLUSTER, devices=("cpu:0",), choices=found, nodes_per_pass=number, why=why)  # type: ignore[arg-type]

    assert plan.literal == "Options(nodes_per_pass=4)"
    assert f"* {4:>12}  {16:>7}  {4:>6}" in repr(plan)
    assert repr(plan).endswith("4 virtual nodes a pass are predicted to be 4.00 times as fast as one: " + plan.literal)
    assert "<b" not in plan._repr_html_()
    assert "font-weight:bold" in plan._repr_html_()


def test_devices_of_several_speeds_share_by_their_speed() -> None:
    share = share_of(Layout(16, 16), [0.01, 0.03])

    assert share == Share(nodes=(12, 4), speed=pytest.approx(8 * 0.03 / (4 * 0.03)))


def test_devices_of_one_speed_have_nothing_to_share_by() -> None:
    assert share_of(Layout(16, 16), [0.01, 0.01]) is None
    assert share_of(Layout(1, 1), [0.01, 0.02]) is None


def test_a_plan_says_how_devices_of_several_speeds_share() -> None:
    share = Share(nodes=(12, 4), speed=2.0)

    plan = Plan(
        cluster=CLUSTER, devices=("cpu:0", "cuda:0"), choices=(), nodes_per_pass=1, why="one node a pass", share=share
    )

    assert 'predicted to be 2.00 times as fast as an even mapping; job.map("solve") maps a run so' in repr(plan)
    assert "virtual nodes: 12 on cpu:0, 4 on cuda:0, " in repr(plan)
    assert "12 on cpu:0, 4 on cuda:0" in plan._repr_html_()
