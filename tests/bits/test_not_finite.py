"""A loss or gradient that is not finite: named, and skipped or the end of the job, alike on every mapping."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from jobs import BATCH, NODES, SAMPLES, finished, job_of, slots
from plain import orders
from torch import nn
from torch.utils.data import TensorDataset

import vfnb
from vfnb.spec import StepSkipped

STEP, STEPS = 3, 6


@pytest.mark.parametrize("node", [1, 3, 6])  # on three workers: one of each worker's
@pytest.mark.parametrize("what", ["loss", "gradient"])
def test_a_step_that_is_not_finite_is_skipped_and_named_alike_everywhere(what: str, node: int, tmp_path: Path) -> None:
    task = _task(what, [node])
    alone = finished(job_of(task, tmp_path, engine="inline", steps=STEPS))
    together = finished(job_of(task, tmp_path, slots(3), steps=STEPS))

    assert _skips(alone) == _skips(together) == [StepSkipped(step=STEP, node=node, what=what)]
    assert alone.history.skipped.tolist() == together.history.skipped.tolist()
    assert together.fingerprint == alone.fingerprint


def test_a_loss_explains_a_gradient_wherever_both_are(tmp_path: Path) -> None:
    task = _task("gradient", [1], _task("loss", [6]))
    jobs = [
        finished(job_of(task, tmp_path, engine="inline", steps=STEPS)),
        finished(job_of(task, tmp_path, slots(2), steps=STEPS)),
    ]

    assert [_skips(job) for job in jobs] == [[StepSkipped(step=STEP, node=6, what="loss")]] * 2


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(("what", "reduction"), [("loss", "exact"), ("gradient", "exact"), ("gradient", "native")])
def test_a_step_that_is_not_finite_stops_the_job_where_that_was_asked_for(
    what: str, reduction: str, workers: int, tmp_path: Path
) -> None:
    job = job_of(_task(what, [6]), tmp_path, slots(workers), steps=STEPS, reduction=reduction, nonfinite="stop")

    with pytest.raises(vfnb.TrainingError, match=f"step {STEP} has a {what} that is not finite.*learning rate") as told:
        finished(job)

    assert (job.state, job.workers) == ("failed", ())
    assert told.value.step == STEP
    assert told.value.node == (None if reduction == "native" else 6)


@pytest.mark.parametrize("options", [{"engine": "inline"}, {"devices": slots(2), "reduction": "native"}])
def test_ten_skips_in_a_row_end_the_job(options: dict[str, Any], tmp_path: Path) -> None:
    job = job_of(_task("gradient", range(NODES), every=True), tmp_path, steps=40, **options)

    with pytest.raises(vfnb.TrainingError, match="10 steps in a row were skipped, the last one, step 10"):
        finished(job)

    assert job.state == "failed"
    assert job.history.skipped.tolist() == [True] * 10


def _task(what: str, nodes: Any, other: vfnb.Task | None = None, *, every: bool = False) -> vfnb.Task:
    """Make a task of which a sample of some virtual nodes of step STEP, or each one, spoils the loss or gradient."""
    drawn = torch.Generator().manual_seed(6)
    spoilt = torch.zeros(2, SAMPLES)
    if other is not None:
        spoilt = other.parts.train.source.dataset.tensors[2].T.clone()
    batch = orders(STEP, SAMPLES)[-1]
    for node in nodes:
        spoilt[("loss", "gradient").index(what), slice(None) if every else batch[node * BATCH // NODES + 1]] = 1.0
    data = TensorDataset(
        torch.randn(SAMPLES, 6, generator=drawn), torch.randint(0, 3, (SAMPLES,), generator=drawn), spoilt.T
    )
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(7)
        model = nn.Linear(6, 3)
    return vfnb.Task(model, data, _loss, partial(torch.optim.SGD, lr=0.1, momentum=0.9))


def _loss(model: nn.Module, batch: Any) -> torch.Tensor:
    inputs, labels, spoilt = batch
    outputs = model(inputs)
    loss = nn.functional.cross_entropy(outputs, labels)
    spoils_loss, spoils_gradient = spoilt.amax(0)
    if bool(spoils_gradient):
        loss = loss + (outputs.sum() * 0).sqrt()  # 0, with a derivative of infinity times 0
    return loss * float("nan") if bool(spoils_loss) else loss


def _skips(job: vfnb.Job) -> list[StepSkipped]:
    return [event for event in job.events if isinstance(event, StepSkipped)]
