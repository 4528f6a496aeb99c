from math import inf, nan

import pytest
import torch

from vfnb.numerics import UNTOUCHED, Capacities, absmaxes


def seen(*magnitudes: float) -> torch.Tensor:
    return torch.tensor(magnitudes)


def test_the_capacity_is_eight_powers_above_the_largest() -> None:
    capacities = Capacities.new(3).committed(seen(1.0, 0.9, 2.0**-20))

    assert capacities.exponents().tolist() == [1 + 8, 0 + 8, -19 + 8]


def test_it_begins_at_the_lowest() -> None:
    assert Capacities.new(2).exponents().tolist() == [-100, -100]


@pytest.mark.parametrize("magnitude", [0.0, UNTOUCHED, 2.0**-140, 1e-45])
def test_it_never_falls_below_the_lowest(magnitude: float) -> None:
    assert Capacities.new(1).committed(seen(magnitude)).exponents().tolist() == [-100]


def test_a_spike_is_remembered_for_64_steps_and_then_forgotten() -> None:
    capacities = Capacities.new(1).committed(seen(2.0**30))
    exponents = []
    for _ in range(64):
        capacities = capacities.committed(seen(1.0))
        exponents.append(capacities.exponents().item())

    assert exponents == [39] * 63 + [9]


def test_a_magnitude_exceeds_once_it_reaches_the_capacity() -> None:
    capacities = Capacities.new(3).committed(seen(1.0, 1.0, 1.0))

    assert capacities.exceeded(seen(511.0, 512.0, 1e30)).tolist() == [False, True, True]


@pytest.mark.parametrize("magnitude", [inf, nan])
def test_what_is_not_finite_exceeds(magnitude: float) -> None:
    assert Capacities.new(1).raised(seen(1e38)).exceeded(seen(magnitude)).tolist() == [True]


def test_the_largest_fp32_fits() -> None:
    largest = seen(torch.finfo(torch.float32).max)

    assert Capacities.new(1).committed(largest).exceeded(largest).tolist() == [False]


def test_raising_makes_room_and_leaves_no_trace_in_the_history() -> None:
    plain = Capacities.new(2).committed(seen(1.0, 1.0))

    raised = plain.raised(seen(2.0**20, 0.5))

    assert raised.exponents().tolist() == [29, 9]
    assert not raised.exceeded(seen(2.0**20, 0.5)).any()
    assert raised.committed(seen(1.0, 1.0)).exponents().tolist() == [9, 9]


def test_a_value_is_never_changed_in_place() -> None:
    before = Capacities.new(1)

    before.committed(seen(4.0))
    before.raised(seen(4.0))

    assert before.exponents().tolist() == [-100]
    assert before.committed(seen(0.0)).exponents().tolist() == [-100]


@pytest.mark.parametrize("magnitude", [inf, nan])
def test_a_step_to_be_skipped_cannot_be_committed(magnitude: float) -> None:
    with pytest.raises(AssertionError, match="skipped"):
        Capacities.new(1).committed(seen(magnitude))


def test_a_state_goes_on_as_the_original() -> None:
    original = Capacities.new(2)
    for step in range(70):
        original = original.committed(seen(2.0 ** (step % 13), 1.0))
    original = original.raised(seen(1.0, 2.0**30))

    copy = Capacities.from_state_dict({name: one.clone() for name, one in original.state_dict().items()})

    for _ in range(3):
        assert torch.equal(copy.exponents(), original.exponents())
        original, copy = original.committed(seen(0.1, 0.1)), copy.committed(seen(0.1, 0.1))


def test_a_model_without_parameters_has_none() -> None:
    capacities = Capacities.new(0).committed(absmaxes([]))

    assert capacities.exponents().tolist() == []
    assert not capacities.exceeded(absmaxes([])).any()
