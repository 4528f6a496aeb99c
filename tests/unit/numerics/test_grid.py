from math import inf, nan

import pytest
import torch

from vfnb.numerics import UNTOUCHED, absmax, absmaxes, grid_step, has_fp64, round_to_grid


@pytest.mark.parametrize(("contributions", "step"), [(1, 2.0**-51), (2, 2.0**-50), (3, 2.0**-49), (32, 2.0**-46)])
def test_the_step_makes_room_for_every_contribution(contributions: int, step: float) -> None:
    assert grid_step(0, contributions) == step


def test_the_step_follows_the_capacity() -> None:
    assert grid_step(10, 4) == 2.0**10 * grid_step(0, 4)


def test_a_capacity_that_no_grid_can_have_is_our_own_fault() -> None:
    with pytest.raises(AssertionError, match="capacity"):
        grid_step(1000, 1)


@pytest.mark.parametrize(
    ("value", "rounded"), [(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.5, 0.0), (-1.5, -2.0), (0.75, 1.0)]
)
def test_numbers_round_to_the_nearest_multiple_and_ties_to_even(value: float, rounded: float) -> None:
    assert round_to_grid(value, 1.0) == rounded


@pytest.mark.parametrize("bad", [nan, inf, -inf])
@pytest.mark.parametrize("place", [0, 50, 99])
def test_a_number_that_is_not_finite_gives_plus_infinity_wherever_it_stands(bad: float, place: int) -> None:
    grad = torch.randn(100)
    grad[place] = bad

    assert absmax(grad) == inf
    assert absmaxes([torch.ones(2), grad]).tolist() == [1.0, inf]


def test_the_largest_magnitude_may_be_negative() -> None:
    assert absmax(torch.tensor([1.0, -3.0, 2.0])) == 3.0
    assert absmaxes([torch.tensor([1.0, -3.0]), torch.tensor([[2.0], [0.0]])]).tolist() == [3.0, 2.0]


def test_untouched_and_empty_and_zero_are_told_apart() -> None:
    found = absmaxes([None, torch.empty(0), torch.zeros(3), torch.ones(())])

    assert found.tolist() == [UNTOUCHED, 0.0, 0.0, 1.0]


def test_a_maximum_over_workers_keeps_untouched_only_if_nobody_touched() -> None:
    one, other = absmaxes([None, None]), absmaxes([torch.zeros(2), None])

    assert torch.maximum(one, other).tolist() == [0.0, UNTOUCHED]


def test_no_tensors_have_no_magnitudes() -> None:
    assert absmaxes([]).tolist() == []
    assert absmax(torch.empty(0)) == 0.0


def test_types_may_be_mixed() -> None:
    grads = [torch.tensor([1.5], dtype=dtype) for dtype in (torch.bfloat16, torch.float16, torch.float64)]

    assert absmaxes(grads).tolist() == [1.5, 1.5, 1.5]


def test_gradients_that_require_gradients_are_read_too() -> None:
    assert not absmaxes([torch.ones(2, requires_grad=True)]).requires_grad


def test_apples_devices_have_no_fp64() -> None:
    assert has_fp64("cpu")
    assert has_fp64("cuda:0")
    assert not has_fp64("mps")
