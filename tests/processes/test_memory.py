"""Out of memory in a pass: told with sizes and remedies; the job pauses, and goes on with the same bits."""

import gc
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from gates import Gates, Seen
from jobs import BATCH, NODES, SAMPLES, finished, job_of, reach, slots, until
from plain import orders
from torch import nn
from torch.utils.data import TensorDataset

import vfnb
from vfnb.spec import OutOfMemory, Paused, WorkerJoined, WorkerLost

STEP, NODE = 3, 6  # on two workers, one of worker 1's

SHORTAGES = {
    "cuda": torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.\nSee documentation"),
    "cpu": RuntimeError("[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate memory"),
    "python": MemoryError(),
}


@pytest.mark.parametrize("shortage", SHORTAGES.values(), ids=SHORTAGES)
def test_a_pass_that_does_not_fit_pauses_the_job_which_then_goes_on(shortage: Exception, tmp_path: Path) -> None:
    alone = finished(job_of(_task(tmp_path), tmp_path, engine="inline"))
    for time in range(2):  # once more after the first resume
        (tmp_path / f"short-{time}").touch()
    seen = Seen()
    job = job_of(_task(tmp_path, shortage), tmp_path, slots(2), on_event=seen)
    job.start()
    for time in (1, 2):
        told = seen.wait_for(OutOfMemory, time)
        seen.wait_for(Paused, time)
        reach(job, "paused")
        job.resume()
    job.wait(timeout=60)

    assert isinstance(told, OutOfMemory)
    assert (told.step, told.worker, told.device, told.node) == (STEP - 1, 1, "cpu:1", NODE)
    sizes = "a pass over 4 samples on cpu:1 did not fit beside 0.0 MiB of weights"
    remedy = f"the job holds before step {STEP}: free memory there and resume, or stop and take a cluster of more"
    kernel = "this notebook's own process holds"
    assert all(part in told.message for part in (sizes, remedy, kernel, str(shortage).split("\n", maxsplit=1)[0]))
    assert not any(isinstance(event, WorkerLost) for event in job.events)
    assert job.fingerprint == alone.fingerprint


@pytest.mark.parametrize("engine", ["local", "inline"])
def test_a_job_that_is_let_go_frees_its_models_without_the_collector(engine: str, tmp_path: Path) -> None:
    data = TensorDataset(torch.randn(SAMPLES, 7), torch.randint(2, (SAMPLES,)))
    parts = partial(nn.Linear, 7, 2), data, nn.CrossEntropyLoss(), partial(torch.optim.SGD, lr=0.1)

    def alive() -> bool:
        return any(type(one) is nn.Linear and one.in_features == 7 for one in gc.get_objects())

    job_of(vfnb.Task(*parts), tmp_path).check()  # what torch imports on the way leaves frames to the collector
    gc.collect()
    gc.disable()
    try:
        job = job_of(vfnb.Task(*parts), tmp_path, engine=engine)
        finished(job)
        assert alive()
        del job
        until(lambda: not alive(), within=10)
    finally:
        gc.enable()


def test_a_first_pass_that_does_not_fit_pauses_the_job_which_then_goes_on(tmp_path: Path) -> None:
    alone = finished(job_of(_task(tmp_path), tmp_path, engine="inline"))
    for time in range(2):
        (tmp_path / f"first-{time}").touch()
    seen = Seen()
    job = job_of(_task(tmp_path, SHORTAGES["cuda"]), tmp_path, slots(2), on_event=seen, check=False)
    job.start()
    for times in (1, 2):  # both workers at once, or one at its start and one after
        told = seen.wait_for(OutOfMemory, times)
        assert told.step == 0
    reach(job, "paused")
    job.resume()
    job.wait(timeout=60)

    assert job.fingerprint == alone.fingerprint


def test_a_joiner_that_does_not_fit_cancels_its_resize_alone(tmp_path: Path) -> None:
    alone = finished(job_of(_task(tmp_path), tmp_path, engine="inline"))
    gates, seen = Gates(folder=tmp_path, steps=(5,)), Seen()
    job = job_of(_task(tmp_path, SHORTAGES["cuda"]), tmp_path, slots(2), faults=gates, on_event=seen)
    job.start()
    seen.wait_for(WorkerJoined, 2)
    reach(job, "running")
    (tmp_path / "pids").write_text(" ".join(str(worker.pid) for worker in job.workers))
    (tmp_path / "pids").rename(tmp_path / "full")  # there at once and whole
    handle = job.resize(slots(3))
    with pytest.raises(vfnb.PlanError, match=r"the resize was cancelled: a pass over 4 samples on cpu:2 did not fit"):
        handle.result(timeout=60)
    gates.open(5)
    job.wait(timeout=60)

    assert not any(isinstance(event, Paused) for event in job.events)
    assert job.fingerprint == alone.fingerprint


def _task(folder: Path, shortage: Exception | None = None) -> vfnb.Task:
    drawn = torch.Generator().manual_seed(6)
    marked = torch.zeros(SAMPLES)
    marked[orders(STEP, SAMPLES)[-1][NODE * BATCH // NODES]] = 1.0
    data = TensorDataset(torch.randn(SAMPLES, 6, generator=drawn), torch.arange(SAMPLES) % 3, marked)
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(7)
        model = nn.Sequential(nn.Linear(6, 3), nn.Dropout(0.2))
    return vfnb.Task(model, data, partial(_loss, folder=folder, shortage=shortage), partial(torch.optim.Adam, lr=0.1))


def _loss(model: nn.Module, batch: Any, *, folder: Path, shortage: Exception | None) -> torch.Tensor:
    """Fall short where the folder says so: in any worker's first pass, at the marked sample, or in a new worker."""
    inputs, labels, marked = batch
    full = folder / "full"
    if shortage is not None:
        if any(_taken(path) for path in folder.glob("first-*")) or (
            bool(marked.any()) and any(_taken(path) for path in folder.glob("short-*"))
        ):
            raise shortage
        if full.exists() and str(os.getpid()) not in full.read_text().split():
            raise shortage
    return nn.functional.cross_entropy(model(inputs), labels)


def _taken(path: Path) -> bool:
    """Take a file away; of several workers one succeeds."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True
