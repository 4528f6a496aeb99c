"""LAMB and LARS against the papers' formulas, written out once more in twenty lines."""

import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from vfnb.ground import SpecError
from vfnb.papers import Lamb, lars, matrices_and_rest

Update = Callable[[Tensor, list[Tensor], list[float]], Tensor]


def lamb_by_hand(weights: Tensor, gradients: list[Tensor], rates: list[float]) -> Tensor:
    """You et al. 2020, algorithm 2."""
    x, m, v = weights.clone(), torch.zeros_like(weights), torch.zeros_like(weights)
    for t, (g, rate) in enumerate(zip(gradients, rates, strict=True), start=1):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        r = (m / (1 - 0.9**t)) / ((v / (1 - 0.999**t)).sqrt() + 1e-6)
        u = r + 0.01 * x
        x = x - rate * x.norm() / u.norm() * u
    return x


def lars_by_hand(weights: Tensor, gradients: list[Tensor], rates: list[float]) -> Tensor:
    """You et al. 2017, algorithm 1, with the rate where torch has it: outside the momentum."""
    w, v = weights.clone(), torch.zeros_like(weights)
    for g, rate in zip(gradients, rates, strict=True):
        local = 0.02 * w.norm() / (g.norm() + 5e-4 * w.norm())
        v = 0.9 * v + local * (g + 5e-4 * w)
        w = w - rate * v
    return w


@pytest.mark.parametrize(
    ("make", "by_hand", "top"),
    [
        (lambda weights, rate: Lamb(weights, lr=rate), lamb_by_hand, 0.01),
        (lambda weights, rate: lars(rate)(weights), lars_by_hand, 1.0),
    ],
    ids=["LAMB", "LARS"],
)
@pytest.mark.parametrize("length", [3.0, 30.0])
def test_five_steps_at_changing_rates_are_the_papers(
    make: Callable[..., torch.optim.Optimizer], by_hand: Update, top: float, length: float
) -> None:
    draw = torch.Generator().manual_seed(0)
    start = torch.randn(7, 5, dtype=torch.float64, generator=draw)
    start *= length / start.norm()
    gradients = [torch.randn(7, 5, dtype=torch.float64, generator=draw) for _ in range(5)]
    rates = [top * part for part in (0.2, 0.6, 1.0, 0.5, 0.1)]

    weights = nn.Parameter(start.clone())
    optimizer = make([weights], top)
    for gradient, rate in zip(gradients, rates, strict=True):
        optimizer.param_groups[0]["lr"] = rate
        weights.grad = gradient.clone()
        optimizer.step()

    torch.testing.assert_close(weights.detach(), by_hand(start, gradients, rates), rtol=1e-12, atol=1e-14)


def test_lamb_rescales_without_weight_decay_too_and_moves_what_is_zero() -> None:
    wide, zero = nn.Parameter(torch.full((4,), 3.0)), nn.Parameter(torch.zeros(4))
    for one in (wide, zero):
        one.grad = torch.ones(4)

    Lamb([wide, zero], lr=0.1, weight_decay=0.0).step()

    torch.testing.assert_close(wide.detach(), torch.full((4,), 3.0 - 0.1 * 3.0))
    torch.testing.assert_close(zero.detach(), torch.full((4,), -0.1))


def test_lamb_steps_as_adam_where_a_group_is_not_adapted() -> None:
    ours, twin = (nn.Parameter(torch.ones(3, dtype=torch.float64)) for _ in range(2))
    for optimizer in (
        Lamb([ours], lr=0.01, adapt=False, weight_decay=0.0),
        torch.optim.Adam([twin], lr=0.01, eps=1e-6),
    ):
        for slope in (1.0, -2.0, 0.5):
            weights = optimizer.param_groups[0]["params"][0]
            weights.grad = torch.full_like(weights, slope)
            optimizer.step()

    torch.testing.assert_close(ours, twin)


def test_matrices_and_the_rest_are_two_groups() -> None:
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2))
    model[0].bias.requires_grad_(requires_grad=False)

    matrices, rest = matrices_and_rest(model, weight_decay=0.0)

    assert [one.ndim for one in matrices["params"]] == [4]
    assert [one.ndim for one in rest["params"]] == [1, 1]
    assert rest["weight_decay"] == 0


def test_lars_moves_biases_by_plain_momentum_at_the_rate_itself() -> None:
    bias = nn.Parameter(torch.ones(3))
    bias.grad = torch.full((3,), 0.5)

    lars(1.0)([bias]).step()

    torch.testing.assert_close(bias.detach(), torch.full((3,), 0.5))


@pytest.mark.parametrize("wrong", [{"lr": -1}, {"eps": float("nan")}, {"betas": (1.0, 0.9)}, {"weight_decay": -0.1}])
def test_lamb_refuses_impossible_numbers(wrong: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match=next(iter(wrong))):
        Lamb([nn.Parameter(torch.zeros(1))], **wrong)


def test_lars_without_its_package_says_which_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pytorch_optimizer", None)

    with pytest.raises(SpecError, match=r"pytorch_optimizer.*pip install 'vfnb\[papers\]'"):
        lars()
