"""Parameters that get no gradient, in any virtual node or in some: None is not zero, and AdamW decays zeros."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from jobs import SAMPLES, finished, job_of, slots
from plain import apart, orders
from torch import nn
from torch.utils.data import TensorDataset

import vfnb

STEPS = 20


class Partial(nn.Module):
    """One layer that is always used, one for marked samples alone, one never."""

    def __init__(self) -> None:
        super().__init__()
        self.always, self.sometimes, self.never = nn.Linear(6, 3), nn.Linear(6, 3), nn.Linear(6, 3)

    def forward(self, inputs: torch.Tensor, marked: torch.Tensor) -> torch.Tensor:
        outputs = self.always(inputs)
        return outputs + marked[:, None] * self.sometimes(inputs) if bool(marked.any()) else outputs


@pytest.mark.parametrize("reduction", ["exact", "native"])
def test_a_parameter_without_gradient_is_left_alone_by_weight_decay(reduction: str, tmp_path: Path) -> None:
    model, data = _model(), _data()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    build = partial(torch.optim.AdamW, lr=0.001, weight_decay=0.5)
    task = vfnb.Task(model, data, _loss, build)
    job = finished(job_of(task, tmp_path, slots(3), steps=STEPS, reduction=reduction))

    optimizer = build(model.parameters())
    for order in orders(STEPS, SAMPLES):
        optimizer.zero_grad(set_to_none=True)
        _loss(model, data[order]).backward()
        optimizer.step()

    learned = job.model.state_dict()
    assert all(torch.equal(learned[name], before[name]) for name in before if name.startswith("never"))
    assert apart(learned, model.state_dict()) == []
    assert apart(learned, before) == [name for name in before if not name.startswith("never")]


def _loss(model: nn.Module, batch: Any) -> torch.Tensor:
    inputs, labels, marked = batch
    return nn.functional.cross_entropy(model(inputs, marked), labels)


def _data() -> TensorDataset:
    drawn = torch.Generator().manual_seed(5)
    marked = torch.zeros(SAMPLES)
    marked[[3, 50]] = 1.0  # most steps have no marked sample, no step has one in each virtual node
    return TensorDataset(torch.randn(SAMPLES, 6, generator=drawn), torch.arange(SAMPLES) % 3, marked)


def _model() -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(7)
        return Partial()
