"""LAMB, LARS and a schedule of papers keep the promise: their state moves with the run."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch
from jobs import Convnet, finished, job_of, pictures, slots

import vfnb
from vfnb.papers import Lamb, lars, warmup_cosine
from vfnb.spec import Resized
from vfnb.testing import FaultScript


@pytest.mark.parametrize("optimizer", [partial(Lamb, lr=0.02), lars(0.5)], ids=["LAMB", "LARS"])
def test_a_resized_run_has_the_bits_of_the_inline_run(
    optimizer: Callable[..., torch.optim.Optimizer], tmp_path: Path
) -> None:
    data = torch.utils.data.TensorDataset(*pictures())
    task = vfnb.Task(Convnet, data, torch.nn.CrossEntropyLoss(), optimizer, schedule=warmup_cosine(0.25))
    reference = finished(job_of(task, tmp_path, engine="inline"))

    job = job_of(task, tmp_path, slots(1), faults=FaultScript().hold(0, "before_vote", 0.1))
    job.start()
    resized = job.resize(slots(2)).result(timeout=60)
    job.wait(timeout=60)

    assert isinstance(resized, Resized)
    assert 0 < resized.step < job.steps
    assert job.fingerprint == reference.fingerprint
    ours, theirs = job.model.state_dict(), reference.model.state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)
