from typing import Any

import pytest
import torch
from torch import nn
from torch.optim import SGD
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, ReduceLROnPlateau, StepLR

from vfnb.ground import SpecError
from vfnb.session.schedule import schedule_of


def optimizer() -> torch.optim.Optimizer:
    return SGD(nn.Linear(2, 1).parameters(), lr=0.1)


def test_none_is_a_constant_rate() -> None:
    assert schedule_of(None) is None


def test_a_function_gets_the_optimizer_and_the_total_steps() -> None:
    schedule = schedule_of(lambda given, total: LambdaLR(given, lambda step: step / total))
    assert schedule is not None
    given = optimizer()

    made = schedule(given, 10)
    given.step()
    made.step()

    assert made.get_last_lr() == [pytest.approx(0.01)]


def test_a_scheduler_class_can_be_given_as_it_is() -> None:
    schedule = schedule_of(CosineAnnealingLR)
    assert schedule is not None

    assert schedule(optimizer(), 12).T_max == 12  # type: ignore[attr-defined]  # it is a CosineAnnealingLR


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (StepLR(optimizer(), 3), "a StepLR of one optimizer; every worker has its own"),
        (lambda optimizer: optimizer, r"cannot be called with \(optimizer, total_steps\)"),
        (3, "schedule=3"),
    ],
)
def test_refuses_a_schedule_and_says_what_to_give(given: Any, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        schedule_of(given)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda given, total: ReduceLROnPlateau(given), "ReduceLROnPlateau, which needs a metric"),
        (lambda given, total: 3, "made a int, not a torch LR scheduler"),
    ],
)
def test_refuses_what_a_schedule_must_not_make(make: Any, said: str) -> None:
    schedule = schedule_of(make)
    assert schedule is not None

    with pytest.raises(SpecError, match=said):
        schedule(optimizer(), 10)
