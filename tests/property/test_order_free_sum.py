"""Laws of the order-free sum: order and grouping leave no trace, errors are bounded, spikes forgotten."""

import random
from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from vfnb.numerics import Capacities, GridSum, IntGridSum, absmaxes, grid_step

SHAPES = [(7,), (40, 30), (), (3, 5)]
FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)


def contributions(count: int, seed: int, spread: int, at: int) -> list[list[Tensor]]:
    """Draw gradients whose elements differ by up to 2^spread in magnitude."""
    generator = torch.Generator().manual_seed(seed)
    return [
        [
            torch.randn(shape, generator=generator)
            * torch.exp2(torch.randint(-spread, 1, shape, generator=generator).float() + at)
            for shape in SHAPES
        ]
        for _ in range(count)
    ]


def capacities_for(grads: list[list[Tensor]]) -> Capacities:
    largest = torch.stack([absmaxes(one) for one in grads]).amax(0)
    return Capacities.new(len(grads[0])).committed(largest)


def total(form: type[GridSum] | type[IntGridSum], grads: list[list[Tensor]], groups: list[list[int]]) -> list[Tensor]:
    """Sum over workers, each adding its own contributions in its own order."""
    exponents = capacities_for(grads).exponents()
    shapes = [grad.shape for grad in grads[0]]
    flats = []
    for group in groups:
        worker = form(shapes, len(grads))
        worker.begin_(exponents)
        for index in group:
            worker.add_all_(grads[index])
        flats.append(worker.flat)
    result = form(shapes, len(grads))
    result.begin_(exponents)
    for flat in flats:
        result.flat.add_(flat)
    return [result.sum_of(index) for index in range(len(shapes))]


def grouped(count: int, workers: int, shuffle: random.Random) -> list[list[int]]:
    order = list(range(count))
    shuffle.shuffle(order)
    groups: list[list[int]] = [[] for _ in range(workers)]
    for index in order:
        groups[shuffle.randrange(workers)].append(index)
    return groups


DRAWN = st.builds(
    contributions,
    count=st.integers(1, 33),
    seed=st.integers(0, 2**31),
    spread=st.integers(0, 60),
    at=st.integers(-60, 60),
)


@pytest.mark.parametrize("form", [GridSum, IntGridSum])
@settings(max_examples=200)
@given(
    grads=DRAWN,
    workers=st.integers(1, 9),
    shuffle=st.randoms(use_true_random=False),
)
def test_order_and_grouping_leave_no_trace(
    form: type[GridSum] | type[IntGridSum],
    grads: list[list[Tensor]],
    workers: int,
    shuffle: random.Random,
) -> None:
    alone = total(form, grads, [list(range(len(grads)))])
    together = total(form, grads, grouped(len(grads), workers, shuffle))

    assert all(torch.equal(one, other) for one, other in zip(together, alone, strict=True))


@pytest.mark.parametrize(("form", "dtype"), [(GridSum, torch.float64), (IntGridSum, torch.float32)])
@given(
    values=st.lists(st.floats(0.5, 1.0), min_size=1, max_size=70),
    sign=st.sampled_from([1.0, -1.0]),
    fraction=st.floats(0, 2.0**-24),
)
def test_contributions_that_fill_the_capacity_still_sum_without_rounding(
    form: type[GridSum] | type[IntGridSum],
    dtype: torch.dtype,
    values: list[float],
    sign: float,
    fraction: float,
) -> None:
    contributed = [torch.tensor([sign * value, fraction], dtype=dtype) for value in values]
    q = Fraction(grid_step(0, len(values)))
    grid = form([(2,)], len(values))
    grid.begin_([0])

    for one in contributed:
        grid.add_(0, one)

    for index, found in enumerate(grid.sum_of(0).tolist()):
        steps = sum(round(Fraction(one[index].item()) / q) for one in contributed)  # round() takes ties to even
        assert Fraction(found) == steps * q


def test_the_law_has_teeth_plain_addition_breaks_it() -> None:
    grads = [one[1] for one in contributions(9, 1, 10, 0)]

    assert not torch.equal(sum(grads), sum(reversed(grads)))


@given(values=st.lists(FLOATS, min_size=1, max_size=40), scale=st.integers(-30, 30))
def test_the_integer_form_has_the_bits_of_the_fp64_form(values: list[float], scale: int) -> None:
    grads = [torch.tensor([value, value / 3, -value]) for value in values]
    largest = torch.stack([absmaxes([grad]) for grad in grads]).amax(0)
    exponents = (Capacities.new(1).committed(largest).exponents() + scale).clamp(-100, 600)
    wide, whole = GridSum([(3,)], len(values)), IntGridSum([(3,)], len(values))
    wide.begin_(exponents)
    whole.begin_(exponents)

    for grad in grads:
        wide.add_(0, grad, 2.0**scale)
        whole.add_(0, grad, 2.0**scale)
    means = [torch.empty(3), torch.empty(3)]
    wide.mean_into(0, means[0], 7.0)
    whole.mean_into(0, means[1], 7.0)

    assert torch.equal(whole.sum_of(0), wide.sum_of(0))
    assert torch.equal(means[0], means[1])


@given(values=st.lists(st.lists(FLOATS, min_size=4, max_size=4), min_size=1, max_size=64))
def test_the_error_is_at_most_half_a_step_a_contribution(values: list[list[float]]) -> None:
    grads = [torch.tensor(one) for one in values]
    capacities = capacities_for([[grad] for grad in grads])
    q = Fraction(grid_step(int(capacities.exponents()), len(grads)))

    found = total(GridSum, [[grad] for grad in grads], [list(range(len(grads)))])[0]

    for index, sum_ in enumerate(found.tolist()):
        exact = sum((Fraction(grad[index].item()) for grad in grads), Fraction(0))
        assert abs(Fraction(sum_) - exact) <= len(grads) * q / 2


@given(count=st.sampled_from([2, 3, 8, 32, 100]), seed=st.integers(0, 2**31), at=st.integers(-60, 60))
def test_the_sum_is_no_worse_than_fp32_addition(count: int, seed: int, at: int) -> None:
    grads = [[one[1]] for one in contributions(count, seed, 3, at)]

    assert_no_worse(grads, capacities_for(grads))


@given(seed=st.integers(0, 2**31), spike=st.integers(20, 40))
def test_200_steps_after_a_spike_the_sum_is_as_good_as_ever(seed: int, spike: int) -> None:
    grads = [[one[1]] for one in contributions(32, seed, 3, 0)]
    usual = absmaxes(grads[0])
    capacities = Capacities.new(1).committed(usual * 2.0**spike)

    assert grid_step(int(capacities.exponents()), 32) > 2.0 ** (spike - 40)
    for _ in range(200):
        capacities = capacities.committed(usual)

    assert_no_worse(grads, capacities)


def assert_no_worse(grads: list[list[Tensor]], capacities: Capacities) -> None:
    shape = grads[0][0].shape
    grid = GridSum([shape], len(grads))
    grid.begin_(capacities.exponents())
    plain = torch.zeros(shape)
    for one in grads:
        grid.add_all_(one)
        plain += one[0]
    exact = torch.stack([one[0].double() for one in grads]).sum(0)
    mean = torch.empty(shape)
    grid.mean_into(0, mean, 1.0)

    assert (grid.sum_of(0) - exact).abs().max() <= (plain - exact).abs().max()
    assert (mean - exact).abs().max() <= (plain - exact).abs().max()


@given(
    count=st.integers(1, 6),
    where=st.integers(0, 5),
    bad=st.sampled_from([float("nan"), float("inf"), -float("inf")]),
    place=st.integers(0, 1199),
)
def test_a_nan_on_any_worker_reaches_everyone_as_infinity(count: int, where: int, bad: float, place: int) -> None:
    grads = contributions(count, 0, 3, 0)
    grads[where % count][1].view(-1)[place] = bad
    found = [absmaxes(one) for one in grads]

    assert not any(one.isnan().any() for one in found)
    for order in (found, found[::-1]):
        largest = order[0]
        for one in order[1:]:
            largest = torch.maximum(largest, one)
        assert largest.isinf().tolist() == [False, True, False, False]
