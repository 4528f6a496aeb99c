"""Splits between kinds: what is left idle, what is said of it, and what is refused."""

import pytest

from vfnb.ground import PlanError, SpecError
from vfnb.planning import price, solve
from vfnb.spec import Speed, Speeds

FAST = Speed("fast", ((1, 0.5), (8, 1.0), (16, 2.0)))
SLOW = Speed("slow", ((1, 4.0), (8, 8.0)))
BOTH = Speeds((FAST, SLOW), 0.5)


def test_devices_share_equal_nodes_by_their_speed() -> None:
    split = solve(BOTH, {"fast": 2, "slow": 1}, batch=8 * 17, nodes=17)

    fast, slow = split.parts
    assert (fast.nodes, slow.nodes) == ((8, 8), (1,))
    assert split.step_seconds == 8.5
    assert split.samples_per_second == 8 * 17 / 8.5
    assert split.busy(fast) == (8 / 8.5, 8 / 8.5)
    assert split.gain == pytest.approx((9 + 0.5) / 8.5)


def test_a_split_lists_its_nodes_sizes_device_by_device() -> None:
    split = price(BOTH, {"fast": 2, "slow": 1}, {"fast": (2, 16), "slow": (1, 8)}, batch=72)

    assert split.node_sizes == (16, 16, 16, 16, 8)


def test_devices_of_a_kind_may_differ_by_a_node() -> None:
    split = solve(Speeds((FAST,), 0.0), {"fast": 3}, batch=32 * 8)

    assert split.parts[0].nodes == (11, 11, 10)


def test_devices_that_would_make_no_step_faster_are_idle() -> None:
    split = solve(BOTH, {"fast": 2, "slow": 4}, batch=8 * 4, nodes=4)

    assert split.kinds == ("fast",)
    assert "using slow would not make a step faster" in split.remarks


def test_one_device_pays_no_communication_and_wins_where_that_weighs_more() -> None:
    split = solve(Speeds((FAST,), 100.0), {"fast": 8}, batch=32 * 8)

    assert (split.devices, split.communication, split.step_seconds) == (1, 0.0, 32.0)


@pytest.mark.parametrize("rule", ["equal", "integer"])
def test_communication_decides_between_one_device_and_many(rule: str) -> None:
    cheap, dear = (solve(Speeds((FAST,), cost), {"fast": 2}, batch=16, rule=rule, nodes=2) for cost in (0.9, 1.0))

    assert (cheap.devices, dear.devices) == (2, 1)


def test_a_batch_that_does_not_divide_is_priced_at_the_larger_node() -> None:
    split = solve(Speeds((FAST,), 0.0), {"fast": 1}, batch=15, nodes=2)

    assert split.step_seconds == 2.0
    assert "15 samples make 2 virtual nodes of 7 or 8; all are priced at 8" in split.remarks


def test_a_kind_without_room_for_a_node_is_left_out_and_named() -> None:
    split = solve(BOTH, {"fast": 1, "slow": 1}, batch=16 * 4, nodes=4)

    assert split.kinds == ("fast",)
    assert split.remarks == ("slow cannot hold a virtual node of 16 samples and stays idle; more nodes are smaller",)


def test_that_no_kind_has_room_for_a_node_is_refused_with_how_many_would_do() -> None:
    with pytest.raises(PlanError, match=r"fast holds at most 16 samples .* node of 20; give 5 virtual nodes or more"):
        solve(BOTH, {"fast": 1, "slow": 1}, batch=80, nodes=4)


def test_a_node_smaller_than_any_measured_pass_is_not_guessed() -> None:
    with pytest.raises(SpecError, match="A was not measured at 4 samples a pass but at 8 to 16"):
        solve(Speeds((Speed("A", ((8, 1.0), (16, 2.0))),)), {"A": 1}, batch=8, nodes=2)


def test_an_unreachable_batch_is_refused_with_the_nearest() -> None:
    with pytest.raises(PlanError, match=r"a batch of 1000 cannot be split .* the nearest that can: 768 and 1024"):
        solve(Speeds((Speed("P100", ((256, 1.0),)),)), {"P100": 2}, batch=1000, rule="integer")


@pytest.mark.parametrize("rule", ["integer", "power-of-two"])
def test_a_batch_that_would_take_too_long_is_refused_at_once(rule: str) -> None:
    with pytest.raises(PlanError, match=r"more than the rule .* looks through"):
        solve(BOTH, {"fast": 1}, batch=10**9, rule=rule)


def test_the_papers_rule_needs_a_batch_it_knows() -> None:
    with pytest.raises(PlanError, match=r"A has no measured batch of 2.k or 3"):
        solve(Speeds((Speed("A", ((5, 1.0),)),)), {"A": 1}, batch=10, rule="power-of-two")


def test_other_sizes_for_other_kinds_are_said_to_change_what_is_trained() -> None:
    split = solve(Speeds((FAST, Speed("B", ((4, 3.0),)))), {"fast": 1, "B": 1}, batch=20, rule="power-of-two")

    assert {part.batch for part in split.parts} == {16, 4}
    assert any("batch norm" in remark for remark in split.remarks)


def test_what_a_profile_lacks_is_said() -> None:
    split = solve(Speeds((Speed("A", ((4, 3.0),)),)), {"A": 1}, batch=8, nodes=2)

    assert split.remarks == (
        "A was measured at 4 samples a pass alone; no other size was looked at",
        "the profile has no communication_seconds: none are counted",
    )


@pytest.mark.parametrize(
    ("devices", "batch", "nodes", "rule", "said"),
    [
        ({"fast": 0}, 8, 1, "equal", "devices of fast=0 is not possible"),
        ({"fast": 1}, 0, 1, "equal", "batch=0 is not possible"),
        ({}, 8, 1, "equal", "there are no devices"),
        ({"fast": 1}, 8, 9, "equal", "nodes=9 cannot share a batch of 8; give from 1 to 8"),
        ({"fast": 1}, 8, 0, "equal", "nodes=0 cannot share"),
        ({"fast": 1}, 8, 1, "odd", "rule='odd' is unknown; give one of equal, integer, power-of-two"),
        ({"K80": 1}, 8, 1, "equal", "no profile of 'K80'"),
    ],
)
def test_what_is_no_question_is_refused(devices: dict[str, int], batch: int, nodes: int, rule: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        solve(BOTH, devices, batch=batch, nodes=nodes, rule=rule)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"fast": (1, 8)}, "give both the same kinds"),
        ({"fast": (1, 8), "slow": (1, 4)}, "the split has 12 samples and the batch 16"),
        ({"fast": (1, 7), "slow": (1, 9)}, "slow holds at most 8 samples a pass"),
    ],
)
def test_a_split_that_cannot_be_is_not_priced(given: dict[str, tuple[int, int]], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        price(BOTH, {"fast": 1, "slow": 1}, given, batch=16)
