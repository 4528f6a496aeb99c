"""Moving blocks by measured speeds: noise moves none, a real change does so soon, and never back and forth."""

from collections.abc import Callable
from math import exp
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vfnb.planning import Balance, Outlook, Window, even
from vfnb.spec import Layout, Mapping

Noise = Callable[[Random], float]
SECONDS, BESIDE = 0.01, 0.002  # a pass of an undisturbed worker; what a step takes beside its passes

NOISES: dict[str, Noise] = {
    "a tenth": lambda draw: exp(draw.gauss(0, 0.1)),
    "a third": lambda draw: exp(draw.gauss(0, 0.3)),
    "now and then twenty times": lambda draw: 20.0 if draw.random() < 0.02 else 1.0,
    "often five times": lambda draw: 5.0 if draw.random() < 0.1 else 1.0,
    "a heavy tail": lambda draw: draw.paretovariate(2),
}


def story(
    slower: Callable[[int], tuple[float, ...]], noise: Noise, *, seed: int = 0, steps: int = 200, blocks: int = 28
) -> list[tuple[int, dict[int, int]]]:
    """Let a run train whose workers take so many times as long at a step; give its moves."""
    draw, moved = Random(seed), []
    mapping = even(Layout(blocks, blocks), range(len(slower(1))))
    balance, pending = Balance(), (0, mapping)
    for step in range(1, steps + 1):
        mapping = pending[1] if step > pending[0] else mapping
        seconds = {worker: SECONDS * times * noise(draw) for worker, times in enumerate(slower(step))}
        busy = max(mapping.counts[worker] * each for worker, each in seconds.items())
        balance = balance.seen(mapping, Window(seconds=seconds, step_seconds=busy + BESIDE))
        found = balance.proposal(Outlook(step=step, last=10 * steps, move_seconds=0.2))
        if found is not None:
            moved.append((step, found.counts))
            balance, pending = balance.moving(step), (step + 1, found)
    return moved


@settings(max_examples=15, deadline=None)
@given(name=st.sampled_from(["a tenth", "a third"]), seed=st.integers(0, 2**31), workers=st.integers(2, 4))
def test_noise_alone_moves_nothing(name: str, seed: int, workers: int) -> None:
    assert story(lambda _: (1.0,) * workers, NOISES[name], seed=seed) == []


@pytest.mark.parametrize("name", sorted(NOISES))
def test_noise_of_any_form_moves_no_more_than_once_in_200_steps(name: str) -> None:
    moved = [story(lambda _: (1.0, 1.0, 1.0), NOISES[name], seed=seed) for seed in range(10)]

    assert max(map(len, moved)) <= 1
    assert sum(map(len, moved)) <= 1


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_devices_of_three_speeds_are_mapped_by_them_once(seed: int) -> None:
    moved = story(lambda _: (1.0, 2.0, 4.0), NOISES["a tenth"], seed=seed)

    assert len(moved) == 1
    assert moved[0][1][0] > moved[0][1][1] > moved[0][1][2]


@pytest.mark.parametrize("name", ["a tenth", "now and then twenty times"])
@pytest.mark.parametrize("seed", range(3))
def test_a_device_that_slows_down_sheds_nodes_soon_and_gets_them_back(name: str, seed: int) -> None:
    moved = story(lambda step: (1.0, 1.0, 3.0 if 50 <= step < 120 else 1.0), NOISES[name], seed=seed, steps=300)

    steps, counts = [step for step, _ in moved], [found[2] for _, found in moved]
    assert len(moved) == 2
    assert 50 < steps[0] <= 57  # two more and it has its new mapping: within ten steps
    assert counts[0] in (3, 4, 5)
    assert steps[1] > 120
    assert counts[1] in (8, 9, 10)


def test_a_device_that_flickers_moves_blocks_less_and_less() -> None:
    moved = story(lambda step: (1.0, 1.0, 3.0 if step % 40 < 20 else 1.0), lambda _: 1.0, steps=400)

    assert 1 <= len(moved) <= 4


def test_a_mapping_that_is_best_already_stays() -> None:
    layout = Layout(28, 28)
    mapping = Mapping(layout, ((0, tuple(range(16))), (1, tuple(range(16, 24))), (2, tuple(range(24, 28)))))
    window = Window(seconds={0: 0.01, 1: 0.02, 2: 0.04}, step_seconds=0.17)
    balance = Balance()
    for _ in range(64):
        balance = balance.seen(mapping, window)

    assert balance.worthwhile(Outlook(step=64, last=10**6, move_seconds=0.0)) is None


def test_a_move_that_costs_more_than_the_rest_of_the_run_can_save_is_not_made() -> None:
    mapping = even(Layout(12, 12), range(2))
    balance = Balance().seen(mapping, Window(seconds={0: 0.01, 1: 0.03}, step_seconds=0.2))

    assert balance.worthwhile(Outlook(step=10, last=100, move_seconds=1.0)) is not None
    assert balance.worthwhile(Outlook(step=95, last=100, move_seconds=1.0)) is None


def test_what_was_measured_on_another_mapping_counts_no_more() -> None:
    layout = Layout(12, 12)
    slow, fast = (Window(seconds={0: 0.01, 1: each}, step_seconds=0.2) for each in (0.03, 0.01))
    balance = Balance().seen(even(layout, range(2)), slow)
    other = Mapping(layout, ((0, tuple(range(8))), (1, tuple(range(8, 12)))))

    assert balance.seen(other, fast).seconds == {0: 0.01, 1: 0.01}


def test_nothing_is_known_before_the_first_window() -> None:
    outlook = Outlook(step=0, last=10, move_seconds=0.0)

    assert Balance().seconds == {}
    assert Balance().worthwhile(outlook) is None
    assert Balance().proposal(outlook) is None
