"""Schedules against what papers write, at sample points."""

import pickle
from math import pi, sin, sqrt

import pytest
import torch
from torch.optim.lr_scheduler import LRScheduler

from vfnb.ground import SpecError
from vfnb.papers import Schedule, warmup_constant, warmup_cosine, warmup_polynomial, warmup_step

EPOCH = 156  # of Goyal et al. at 8,192: 1,281,167 / 8,192
GOYAL = warmup_step(5 / 90, start=1 / 32)
LAMB = warmup_polynomial(1 / 5, clock="all")
NVIDIA = warmup_polynomial(200, power=0.5, clock="all")
TUNING = warmup_polynomial(0.1)
CIRCLE = warmup_cosine(0.2)


@pytest.mark.parametrize(
    ("schedule", "total", "step", "rate", "top"),
    [
        # Goyal et al. section 2.2 and 5.1: from 0.1 to 3.2 in 5 epochs, a tenth at 30, 60 and 80 of 90.
        (GOYAL, 90 * EPOCH, 0, 0.1, 3.2),
        (GOYAL, 90 * EPOCH, 5 * EPOCH // 2, 0.1 + 3.1 / 2, 3.2),
        (GOYAL, 90 * EPOCH, 5 * EPOCH, 3.2, 3.2),
        (GOYAL, 90 * EPOCH, 30 * EPOCH - 1, 3.2, 3.2),
        (GOYAL, 90 * EPOCH, 30 * EPOCH, 0.32, 3.2),
        (GOYAL, 90 * EPOCH, 60 * EPOCH, 0.032, 3.2),
        (GOYAL, 90 * EPOCH, 80 * EPOCH, 0.0032, 3.2),
        # You et al. 2020: linear from 0 over the first fifth, then rate0 (1 - t/T).
        (LAMB, 15_625, 0, 0.0, 5e-3),
        (LAMB, 15_625, 1_000, 5e-3 * 1_000 / 3_125, 5e-3),
        (LAMB, 15_625, 3_125, 5e-3 * (1 - 3_125 / 15_625), 5e-3),
        (LAMB, 15_625, 12_500, 5e-3 * 0.2, 5e-3),
        # NVIDIA's recipe: the root of what is left.
        (NVIDIA, 1_563, 100, 4e-3 * 0.5, 4e-3),
        (NVIDIA, 1_563, 1_000, 4e-3 * sqrt(1 - 1_000 / 1_563), 4e-3),
        # Fine-tuning: linear up over a tenth, linear down over the rest.
        (TUNING, 100, 5, 1e-5, 2e-5),
        (TUNING, 100, 10, 2e-5, 2e-5),
        (TUNING, 100, 55, 1e-5, 2e-5),
        # Half a cosine over the rest.
        (CIRCLE, 100, 20, 0.4, 0.4),
        (CIRCLE, 100, 60, 0.2, 0.4),
        (CIRCLE, 100, 99, 0.4 * sin(pi / 160) ** 2, 0.4),
    ],
)
def test_a_rate_is_the_published_one(schedule: Schedule, total: int, step: int, rate: float, top: float) -> None:
    assert rate == pytest.approx(top * schedule.factor(step, total), rel=1e-5)


@pytest.mark.parametrize("schedule", [GOYAL, LAMB, NVIDIA, CIRCLE, warmup_constant(3), warmup_cosine(end=0.1)])
def test_torchs_scheduler_follows_the_formula_and_goes_on_from_its_state(schedule: Schedule) -> None:
    optimizer, scheduler = _made(schedule, 2_000)
    rates = []
    for _ in range(5):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    assert rates == [0.8 * schedule.factor(step, 2_000) for step in range(5)]

    again, resumed = _made(schedule, 2_000)
    resumed.load_state_dict(scheduler.state_dict())
    again.step()
    resumed.step()
    assert resumed.get_last_lr() == [0.8 * schedule.factor(6, 2_000)]


def test_the_last_step_of_a_scheduler_is_beyond_the_run_and_still_a_rate() -> None:
    assert [one.factor(100, 100) for one in (CIRCLE, TUNING, LAMB)] == [0, 0, 0]
    assert warmup_cosine(end=0.1).factor(100, 100) == pytest.approx(0.1)


def test_a_schedule_travels_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(GOYAL)).factor(7, 90) == GOYAL.factor(7, 90)


@pytest.mark.parametrize("warmup", [-1, 1.5, float("nan")])
def test_refuses_a_warmup_that_is_neither_steps_nor_a_share(warmup: float) -> None:
    with pytest.raises(SpecError, match=r"warmup=.*whole number, or a share"):
        warmup_constant(warmup)


def test_refuses_a_start_above_the_rate_and_an_unknown_clock() -> None:
    with pytest.raises(SpecError, match=r"start=2 .* 0 to 1"):
        warmup_cosine(start=2)
    with pytest.raises(SpecError, match=r"clock='some'.*'rest' or 'all'"):
        warmup_polynomial(clock="some")  # type: ignore[arg-type]


def _made(schedule: Schedule, total: int) -> tuple[torch.optim.Optimizer, LRScheduler]:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.8)
    return optimizer, schedule(optimizer, total)
