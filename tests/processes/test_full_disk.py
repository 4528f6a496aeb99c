"""A disk that is full: the old checkpoint stays, the job goes on and says what it could not write."""

import resource
from pathlib import Path

import pytest
from gates import Gates
from jobs import convnet_task, job_of, slots, until

import vfnb
from vfnb.runtime import read_checkpoint
from vfnb.spec import CheckpointFailed, CheckpointSaved, Event, WorkerLost


def test_a_full_disk_costs_a_checkpoint_and_not_the_job(tmp_path: Path) -> None:
    job = job_of(convnet_task(), tmp_path, slots(2), steps=100_000, checkpoint_every=0.2)
    job.start()
    until(lambda: _met(job, CheckpointSaved))
    _let_write(job, 100)
    until(lambda: _met(job, CheckpointFailed))
    kept = _met(job, CheckpointSaved)[-1]
    step = job.history.step.max()
    until(lambda: job.history.step.max() > step + 3)

    assert job.state == "running"
    assert read_checkpoint(Path(kept.path)).step == kept.step
    assert vfnb.Job.load(job.run_dir, convnet_task(), devices=slots(1)).state == "new"

    _let_write(job, resource.RLIM_INFINITY)
    until(lambda: _met(job, CheckpointSaved)[-1].step > step)
    job.stop()
    job.wait(timeout=60)
    assert job.state == "stopped"
    assert _met(job, WorkerLost) == []
    assert not any(folder.name.startswith(".") for folder in (job.run_dir / "checkpoints").iterdir())


def test_a_full_disk_costs_the_best_checkpoint_and_not_the_job(tmp_path: Path) -> None:
    gates = Gates(folder=tmp_path, steps=(3,))  # the first epoch, and so the first best, ends with step 4
    job = job_of(convnet_task(), tmp_path, slots(2), steps=100_000, keep_best="-loss", faults=gates)
    job.start()
    until(lambda: len(job.history) == 2)
    _let_write(job, 100)
    gates.open(3)
    until(lambda: _met(job, CheckpointFailed))
    step = job.history.step.max()
    until(lambda: job.history.step.max() > step + 3)

    assert job.state == "running"
    assert _met(job, WorkerLost) == []
    _let_write(job, resource.RLIM_INFINITY)
    job.stop()
    job.wait(timeout=60)


def test_a_last_state_that_finds_no_room_ends_the_job_with_one_sentence(tmp_path: Path) -> None:
    job = job_of(convnet_task(), tmp_path, slots(2), steps=100_000)
    job.start()
    until(lambda: len(job.history) > 3)
    _let_write(job, 100)
    job.stop()

    with pytest.raises(vfnb.WorkerLostError, match=r"state could not be written \(.*\); make room in /"):
        job.wait(timeout=60)

    assert job.state == "failed"
    assert _met(job, CheckpointFailed)
    assert _met(job, WorkerLost) == []


def _let_write(job: vfnb.Job, most: int) -> None:
    """Let the workers write files of so many bytes only, as a disk with so much room would."""
    for worker in job.workers:
        _, hard = resource.prlimit(worker.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (most, hard))


def _met(job: vfnb.Job, kind: type[Event]) -> list[Event]:
    return [event for event in job.events if isinstance(event, kind)]
