"""Coupled samples are found in any model, and random draws are not taken for it."""

from functools import partial
from typing import Any

import pytest
import torch
from jobs import convnet_task, tokens_task, transformer_task
from measured import blueprint_of
from torch import nn
from torch.utils.data import TensorDataset

import vfnb
from vfnb.runtime import coupling, trial


def found(task: vfnb.Task, **options: Any) -> str | None:
    return coupling(blueprint_of(task, **options).program(""))


def task_of(loss: Any, *, drop: float = 0.5, dtype: torch.dtype = torch.float32) -> vfnb.Task:
    data = torch.Generator().manual_seed(1)
    inputs, labels = torch.randn(64, 6, generator=data), torch.randint(0, 4, (64,), generator=data)
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Dropout(drop), nn.Linear(8, 4)).to(dtype)
    return vfnb.Task(model, TensorDataset(inputs.to(dtype), labels), loss, partial(torch.optim.SGD, lr=0.1))


def contrastive(model: nn.Module, batch: Any) -> torch.Tensor:
    out = nn.functional.normalize(model(batch[0]), dim=1)
    return nn.functional.cross_entropy(out @ out.T * 5, torch.arange(len(out)))


def mixup(model: nn.Module, batch: Any) -> torch.Tensor:
    order = torch.randperm(len(batch[0]))
    out = model(0.7 * batch[0] + 0.3 * batch[0][order])
    losses = [nn.functional.cross_entropy(out, labels) for labels in (batch[1], batch[1][order])]
    return 0.7 * losses[0] + 0.3 * losses[1]


def summed(model: nn.Module, batch: Any) -> torch.Tensor:
    return nn.functional.cross_entropy(model(batch[0]), batch[1], reduction="sum")


def noisy(model: nn.Module, batch: Any) -> torch.Tensor:
    blurred = batch[0] + 0.1 * torch.randn_like(batch[0]) + torch.rand(batch[0].shape)
    return nn.functional.cross_entropy(nn.functional.dropout(model(blurred), 0.3), batch[1])


@pytest.mark.parametrize(
    "task",
    [
        transformer_task(),
        tokens_task(),
        task_of(nn.CrossEntropyLoss()),
        task_of(nn.CrossEntropyLoss(), drop=0.3),
        task_of(noisy),
        task_of(nn.CrossEntropyLoss(), dtype=torch.bfloat16),
    ],
)
def test_samples_that_do_not_know_of_each_other_are_not_taken_for_coupled(task: vfnb.Task) -> None:
    assert found(task) is None


@pytest.mark.parametrize("loss", [contrastive, mixup, summed])
def test_a_loss_over_pairs_or_sums_couples(loss: Any) -> None:
    why = found(task_of(loss))

    assert why is not None
    assert "of a joint pass is not that of separate ones" in why


def test_batch_norm_is_named() -> None:
    assert found(convnet_task()) == "body.1 is a BatchNorm2d, whose statistics couple the samples of a pass"


def test_a_frozen_batch_norm_does_not_couple() -> None:
    model = nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4))
    model[1].eval()
    data = TensorDataset(torch.randn(64, 6), torch.randint(0, 4, (64,)))

    assert found(vfnb.Task(model, data, nn.CrossEntropyLoss(), partial(torch.optim.SGD, lr=0.1))) is None


def test_a_joint_pass_that_fails_is_told() -> None:
    def rigid(model: nn.Module, batch: Any) -> torch.Tensor:
        return nn.functional.cross_entropy(model(batch[0]), batch[1].view(4))

    assert "two virtual nodes in one pass raise RuntimeError" in (found(task_of(rigid)) or "")


@pytest.mark.parametrize("task", [convnet_task(), task_of(contrastive)])
def test_the_trial_refuses_more_than_one_node_a_pass(task: vfnb.Task) -> None:
    program = blueprint_of(task, nodes_per_pass=2).program("")

    with pytest.raises(vfnb.SpecError, match="nodes_per_pass=2 would change what is learned; use nodes_per_pass=1"):
        trial(program)


def test_the_comparison_leaves_model_and_generators_alone() -> None:
    program = blueprint_of(task_of(noisy)).program("")
    before = [one.clone() for one in program.model.parameters()], torch.get_rng_state()

    coupling(program)

    assert all(map(torch.equal, before[0], program.model.parameters()))
    assert torch.equal(before[1], torch.get_rng_state())
