"""Every sample once an epoch among committed steps: what is learned is the record of what was read."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from gates import Gates, Seen
from jobs import BATCH, SAMPLES, finished, job_of, reach, slots
from torch import nn

import vfnb
from vfnb.numerics import Course
from vfnb.spec import Resized, WorkerJoined, WorkerLost
from vfnb.testing import FaultScript

EPOCH, EPOCHS = 4, 5  # the fourth step is short
NODES = 8  # each has samples in every step, so a read moves its weight by 1/8 of the epoch's rate


class Places:
    """Samples that are their own index."""

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> int:
        return index


class Tally(nn.Module):
    """A weight for each sample."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = nn.Parameter(torch.zeros(SAMPLES))

    def forward(self, indices: torch.Tensor) -> torch.Tensor:
        return self.reads[indices].sum()


@pytest.mark.parametrize("loaders", [0, 1])
def test_every_sample_is_read_once_an_epoch_under_resizes_and_a_kill(loaders: int, tmp_path: Path) -> None:
    task = vfnb.Task(Tally(), Places(), _loss, partial(torch.optim.SGD, lr=1.0), schedule=_a_digit_an_epoch)
    script = FaultScript().kill(1, "in_sum", step=3)
    gates, seen = Gates(folder=tmp_path, steps=(4, 10, 16), script=script), Seen()
    job = job_of(task, tmp_path, slots(2), faults=gates, steps=EPOCH * EPOCHS, loader_workers=loaders, on_event=seen)
    job.start()
    for step, size, joined in ((4, 3, 4), (10, 1, 4), (16, 2, 5)):
        seen.wait_for(WorkerLost)  # not Recovered: where the kill came just after the sum, that waits for a gated step
        handle = job.resize(slots(size))
        seen.wait_for(WorkerJoined, joined)
        reach(job, "resizing")  # the order is on its way; it is carried out before the next gate's step
        gates.open(step)
        assert isinstance(handle.result(timeout=60), Resized)
    job.wait(timeout=60)

    assert [event.worker for event in job.events if isinstance(event, WorkerLost)] == [1]
    assert set(job.history.workers) == {1, 2, 3}
    assert _reads(job.model) == [[1] * SAMPLES] * EPOCHS


def test_every_sample_is_read_once_an_epoch_where_the_batch_grows_inside_it(tmp_path: Path) -> None:
    schedule = {3: 40, 6: 80}
    course = Course(SAMPLES, BATCH, tuple(schedule.items()))
    task = vfnb.Task(
        Tally(), Places(), _loss_by_samples, partial(torch.optim.SGD, lr=1.0), schedule=partial(_by, course)
    )
    script = FaultScript().kill(1, "in_sum", step=3)
    job = finished(
        job_of(task, tmp_path, slots(2), faults=script, steps=course.steps_of(EPOCHS), batch_schedule=schedule)
    )

    assert list(job.history["samples"])[:7] == [32, 32, 40, 16, 40, 80, 80]
    assert _reads(job.model) == [[1] * SAMPLES] * EPOCHS


def test_a_short_batch_that_is_dropped_leaves_its_samples_out(tmp_path: Path) -> None:
    task = vfnb.Task(Tally(), Places(), _loss, partial(torch.optim.SGD, lr=1.0), schedule=_a_digit_an_epoch)
    job = finished(job_of(task, tmp_path, engine="inline", steps=EPOCH - 1, drop_last=True))

    first = _reads(job.model)[0]
    assert (first.count(1), first.count(0)) == (96, 24)


def _loss(model: nn.Module, batch: Any) -> vfnb.Weighted:
    return vfnb.Weighted(model(batch), 1.0)


def _a_digit_an_epoch(optimizer: torch.optim.Optimizer, steps: int) -> torch.optim.lr_scheduler.LRScheduler:
    """Make the rate 4 ** epoch: the weights then count an epoch's reads in a digit of its own, exactly."""
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: float(4 ** (done // EPOCH)))


def _loss_by_samples(model: nn.Module, batch: Any) -> vfnb.Weighted:
    return vfnb.Weighted(model(batch) / NODES, float(len(batch)))


def _by(course: Course, optimizer: torch.optim.Optimizer, steps: int) -> torch.optim.lr_scheduler.LRScheduler:
    """Make the rate samples * 4 ** epoch: it takes away the mean's divisor, and the digits are as above."""

    def rate(done: int) -> float:
        epoch, read = course.at(done + 1)
        return float(len(read) * 4**epoch)

    return torch.optim.lr_scheduler.LambdaLR(optimizer, rate)


def _reads(model: nn.Module) -> list[list[int]]:
    counts = [round(-NODES * weight) for weight in model.reads.tolist()]  # type: ignore[union-attr,operator]
    assert [-count / NODES for count in counts] == model.reads.tolist()  # type: ignore[union-attr,operator]
    return [[count // 4**epoch % 4 for count in counts] for epoch in range(EPOCHS)]
