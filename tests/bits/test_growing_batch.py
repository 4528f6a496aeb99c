"""A batch that grows keeps the promise: the same bits on any mapping, through resizes, losses and checkpoints."""

from pathlib import Path
from typing import Any

import pytest
import torch
from gates import Gates, Seen
from jobs import TASKS, finished, job_of, reach, slots, until

import vfnb
from vfnb.ground import PlanError
from vfnb.spec import Resized, WorkerJoined, WorkerLost
from vfnb.testing import FaultScript

# 8 virtual nodes of 4 samples, then 12, then 16. Epochs end at steps 4, 7 and 10: step 6 and 9 grow inside one.
GROWTH = {6: 48, 9: 64}
SAMPLES = [32, 32, 32, 24, 32, 48, 40, 48, 64, 8, 64, 56]


@pytest.fixture(scope="module")
def references(tmp_path_factory: pytest.TempPathFactory) -> dict[str, vfnb.Job]:
    """Give each task's undisturbed inline run."""
    folder = tmp_path_factory.mktemp("inline")
    return {
        name: finished(job_of(task(), folder, engine="inline", batch_schedule=GROWTH)) for name, task in TASKS.items()
    }


def growing(name: str, folder: Path, devices: Any, **options: Any) -> vfnb.Job:
    return job_of(TASKS[name](), folder, devices, batch_schedule=GROWTH, **options)


def same(job: vfnb.Job, reference: vfnb.Job) -> None:
    """Assert equal digests, tensors and histories."""
    ours, theirs = job.model.state_dict(), reference.model.state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)
    assert job.fingerprint == reference.fingerprint
    assert list(job.history.loss) == list(reference.history.loss)
    assert list(job.history["samples"]) == SAMPLES


@pytest.mark.parametrize(("name", "workers"), [("convnet", 1), ("convnet", 3), ("tokens", 2)])
def test_a_batch_grows_to_the_same_bits_on_any_number_of_workers(
    name: str, workers: int, references: dict[str, vfnb.Job], tmp_path: Path
) -> None:
    job = finished(growing(name, tmp_path, slots(workers)))

    same(job, references[name])


def test_resizes_a_pause_and_an_uneven_mapping_across_the_growth_keep_the_bits(
    references: dict[str, vfnb.Job], tmp_path: Path
) -> None:
    gates, seen = Gates(folder=tmp_path, steps=(5, 6, 9)), Seen()
    job = growing("convnet", tmp_path, slots(2), faults=gates, on_event=seen)
    job.start()
    seen.wait_for(WorkerJoined, 2)
    mapped = job.map({0: 6, 1: 2})
    reach(job, "resizing")
    gates.open(5)
    mapped.result(timeout=60)
    assert job.mapping is not None
    assert job.mapping.counts == {0: 6, 1: 2}
    resized = job.resize(slots(4))
    seen.wait_for(WorkerJoined, 4)
    gates.open(6)
    assert isinstance(resized.result(timeout=60), Resized)
    until(lambda: job.step == 8)
    assert sum(worker.virtual_nodes for worker in job.workers) == 16  # of the next step
    with pytest.raises(PlanError, match="the counts sum to 12 virtual nodes, but there are 16"):
        job.map({worker.id: 3 for worker in job.workers})
    job.pause()
    smaller = job.resize(slots(1))
    gates.open(9)
    assert isinstance(smaller.result(timeout=60), Resized)
    job.resume()
    job.wait(timeout=60)

    assert set(job.history.workers) == {1, 2, 4}
    same(job, references["convnet"])


@pytest.mark.parametrize(("point", "step"), [("pass", 6), ("in_sum", 6), ("after_commit", 5)])
def test_a_worker_killed_as_the_batch_grows_costs_no_bit(
    point: str, step: int, references: dict[str, vfnb.Job], tmp_path: Path
) -> None:
    job = finished(growing("convnet", tmp_path, slots(3), faults=FaultScript().kill(1, point, step=step)))

    assert [event.worker for event in job.events if isinstance(event, WorkerLost)] == [1]
    same(job, references["convnet"])


def test_the_only_worker_lost_as_the_batch_grows_goes_on_from_the_last_state(
    references: dict[str, vfnb.Job], tmp_path: Path
) -> None:
    job = finished(growing("convnet", tmp_path, slots(1), faults=FaultScript().kill(0, "pass", step=6)))

    assert any(isinstance(event, WorkerLost) for event in job.events)
    same(job, references["convnet"])


def test_loader_processes_read_ahead_across_the_growth(references: dict[str, vfnb.Job], tmp_path: Path) -> None:
    script = FaultScript().kill(1, "in_sum", step=6)
    job = finished(growing("convnet", tmp_path, slots(2), faults=script, loader_workers=1), within=90)

    assert any(isinstance(event, WorkerLost) for event in job.events)
    same(job, references["convnet"])


def test_a_job_stopped_between_two_growths_goes_on_from_its_checkpoint(
    references: dict[str, vfnb.Job], tmp_path: Path
) -> None:
    stopped = finished(growing("convnet", tmp_path, 1, engine="inline", stop_when=lambda row: row.step == 7))
    loaded = vfnb.Job.load(stopped.run_dir, TASKS["convnet"](), devices=slots(3))
    assert (stopped.state, stopped.step) == ("stopped", 7)
    finished(loaded)

    assert loaded.fingerprint == references["convnet"].fingerprint


@pytest.mark.parametrize("options", [{"nodes_per_pass": 2, "blocks": 2}, {"drop_last": True}], ids=str)
def test_other_blocks_and_passes_grow_to_the_same_bits_on_any_mapping(options: dict[str, Any], tmp_path: Path) -> None:
    alone = finished(growing("transformer", tmp_path, 1, engine="inline", **options))
    together = finished(growing("transformer", tmp_path, slots(2), **options))

    assert together.fingerprint == alone.fingerprint


@pytest.mark.parametrize("changed", [{6: 48, 10: 64}, {6: 48}, {6: 48, 9: 80}], ids=str)
def test_another_schedule_gives_other_bits(
    changed: dict[int, int], references: dict[str, vfnb.Job], tmp_path: Path
) -> None:
    job = finished(job_of(TASKS["tokens"](), tmp_path, engine="inline", batch_schedule=changed))

    assert job.fingerprint != references["tokens"].fingerprint
