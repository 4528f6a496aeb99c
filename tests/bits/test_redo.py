"""A contribution beyond its capacity: the step is done again, on every mapping alike; later it is forgotten."""

from functools import partial
from pathlib import Path
from typing import Any

import torch
from jobs import BATCH, finished, job_of, slots
from plain import apart, orders
from torch import nn
from torch.utils.data import TensorDataset

import vfnb
from vfnb.spec import StepRedone

SPIKE, FORGOTTEN, LAST = 10, 74, 100  # steps; capacities look 64 steps back
MANY = BATCH * LAST
SMALL_STEPS = 0.05


def test_a_spike_is_redone_with_the_same_bits_on_any_mapping(tmp_path: Path) -> None:
    alone = finished(_job(tmp_path, SPIKE + 4, engine="inline"))
    together = finished(_job(tmp_path, SPIKE + 4, slots(3), loader_workers=1))

    assert _redone(alone) == [StepRedone(step=SPIKE, tensors=("weight", "bias"))]
    assert _redone(together) == _redone(alone)
    assert together.fingerprint == alone.fingerprint
    assert list(together.history.loss) == list(alone.history.loss)


def test_a_spike_does_not_ruin_later_precision(tmp_path: Path) -> None:
    before, after = (finished(_job(tmp_path, steps, engine="inline")).model for steps in (FORGOTTEN, LAST))

    optimizer = torch.optim.SGD(before.parameters(), lr=SMALL_STEPS)
    for order in orders(LAST, MANY)[FORGOTTEN:]:
        optimizer.zero_grad()
        _loss(before, _data()[order]).backward()
        nn.utils.clip_grad_norm_(before.parameters(), 1.0)
        optimizer.step()

    assert apart(after.state_dict(), before.state_dict()) == []


def _job(folder: Path, steps: int, devices: Any = 1, **options: Any) -> vfnb.Job:
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(7)
        model = nn.Linear(6, 3)
    task = vfnb.Task(model, _data(), _loss, partial(torch.optim.SGD, lr=SMALL_STEPS))
    return job_of(task, folder, devices, steps=steps, clip_norm=1.0, **options)


def _data() -> TensorDataset:
    """Make data of which one sample, first met in step SPIKE, weighs 2 ** 30 times as much as it should."""
    drawn = torch.Generator().manual_seed(6)
    factors = torch.ones(MANY)
    factors[orders(SPIKE, MANY)[-1][11]] = 2.0**30
    inputs = torch.randn(MANY, 6, generator=drawn)
    return TensorDataset(inputs, torch.randint(0, 3, (MANY,), generator=drawn), factors)


def _loss(model: nn.Module, batch: Any) -> torch.Tensor:
    inputs, labels, factors = batch
    return (nn.functional.cross_entropy(model(inputs), labels, reduction="none") * factors).mean()


def _redone(job: vfnb.Job) -> list[StepRedone]:
    return [event for event in job.events if isinstance(event, StepRedone)]
