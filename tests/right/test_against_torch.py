"""Right, not only stable: what vfnb computes against PyTorch's own way of computing it."""

from functools import partial
from pathlib import Path

import pytest
import torch
from ddp import optimizer_of, plain_convnet, train_with_ddp
from jobs import BATCH, SAMPLES, finished, job_of, pictures, slots, token_loss
from plain import apart, orders
from torch import nn
from torch.utils.data import TensorDataset

import vfnb

STEPS = 20
FULL = SAMPLES // BATCH * BATCH  # whole batches only: DDP cannot weigh a short one


@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
def test_agrees_with_distributed_data_parallel(optimizer: str, tmp_path: Path) -> None:
    images, labels = pictures()
    train = TensorDataset(images[:FULL], labels[:FULL])
    task = vfnb.Task(plain_convnet(), train, nn.CrossEntropyLoss(), _build(optimizer))
    job = finished(job_of(task, tmp_path, slots(2), steps=STEPS, buffers="first"))

    theirs = train_with_ddp(tmp_path, optimizer, STEPS, orders(STEPS, FULL))

    assert apart(job.model.state_dict(), theirs) == []


def test_token_weighted_loss_agrees_with_the_plain_large_batch(tmp_path: Path) -> None:
    inputs = torch.randn(SAMPLES, 6, generator=torch.Generator().manual_seed(3))
    labels = torch.arange(SAMPLES) % 4
    labels[torch.arange(SAMPLES) % 7 < 4] = -100
    model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 4))
    task = vfnb.Task(model, TensorDataset(inputs, labels), token_loss, partial(torch.optim.SGD, lr=0.1))
    job = finished(job_of(task, tmp_path, slots(3), steps=STEPS))

    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for order in orders(STEPS, SAMPLES):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs[order]), labels[order], ignore_index=-100).backward()
        optimizer.step()

    assert apart(job.model.state_dict(), model.state_dict()) == []


def test_a_batch_that_grows_agrees_with_a_hand_written_loop_whose_batch_grows(tmp_path: Path) -> None:
    images, labels = pictures()
    growth = ((6, 48), (9, 64))
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.Tanh(), nn.Linear(16, 3))
    task = vfnb.Task(model, TensorDataset(images, labels), nn.CrossEntropyLoss(), partial(torch.optim.SGD, lr=0.1))
    job = finished(job_of(task, tmp_path, engine="inline", steps=STEPS, batch_schedule=growth))

    optimizer, losses = torch.optim.SGD(model.parameters(), lr=0.1), []
    for order in orders(STEPS, SAMPLES, growth):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images[order]), labels[order])
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))

    assert apart(job.model.state_dict(), model.state_dict()) == []
    assert list(job.history.loss) == pytest.approx(losses, rel=1e-5)
    assert list(job.history["samples"]) == [len(order) for order in orders(STEPS, SAMPLES, growth)]


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_low_precision_gives_the_same_bits_on_any_mapping(precision: str, tmp_path: Path) -> None:
    images, labels = pictures()
    task = vfnb.Task(plain_convnet(), TensorDataset(images, labels), nn.CrossEntropyLoss(), _build("sgd"))
    options = {"precision": precision, "clip_norm": 0.5, "steps": 8}
    alone = finished(job_of(task, tmp_path, engine="inline", **options))
    together = finished(job_of(task, tmp_path, slots(3), **options))

    assert together.fingerprint == alone.fingerprint
    assert alone.history.loss.iloc[-1] < alone.history.loss.iloc[0]


def test_native_reduction_agrees_up_to_rounding(tmp_path: Path) -> None:
    images, labels = pictures()
    task = vfnb.Task(plain_convnet(), TensorDataset(images, labels), nn.CrossEntropyLoss(), _build("sgd"))
    exact = finished(job_of(task, tmp_path, engine="inline")).model.state_dict()
    native = finished(job_of(task, tmp_path, slots(2), reduction="native")).model.state_dict()

    assert all(torch.allclose(native[name], value, rtol=1e-4, atol=1e-5) for name, value in exact.items())


def _build(name: str) -> object:
    def build(model: nn.Module) -> torch.optim.Optimizer:
        return optimizer_of(name, model.parameters())

    return build
