"""A job without devices in real processes: nothing restarts, and its bits are those of the undisturbed run."""

import os
import signal
from pathlib import Path

import pytest
import torch
from gates import Gates, Seen
from jobs import convnet_task, finished, job_of, reach, slots, until

import vfnb
from vfnb.spec import Resized, WorkerJoined


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> vfnb.Job:
    """Give the undisturbed inline run."""
    return finished(job_of(convnet_task(), tmp_path_factory.mktemp("inline"), engine="inline"))


def gone(pid: int) -> bool:
    """Tell whether a process has ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"


def test_a_job_gives_all_its_devices_back_and_goes_on_with_the_same_bits(reference: vfnb.Job, tmp_path: Path) -> None:
    gates, seen = Gates(folder=tmp_path, steps=(3, 6)), Seen()
    job = job_of(convnet_task(), tmp_path, slots(2), faults=gates, on_event=seen, checkpoint_every=None)
    pids, resized = _suspend(job, gates, seen)

    assert (resized.before, resized.after) == (tuple(slots(2)), ())
    assert all(gone(pid) for pid in pids)
    back = job.resize(["cpu:1", "cpu:2", "cpu:3"])
    seen.wait_for(WorkerJoined, 5)
    reach(job, "resizing")
    gates.open(6)
    job.wait(timeout=60)

    regained = back.result(timeout=0)
    assert isinstance(regained, Resized)
    assert (regained.before, regained.after) == ((), ("cpu:1", "cpu:2", "cpu:3"))
    assert list(job.history.step) == list(range(1, 13))
    assert vfnb.open_run(job.run_dir).history.step.tolist() == list(range(1, 13))
    assert job.fingerprint == reference.fingerprint


def test_a_suspended_job_can_be_read_saved_and_waited_for(reference: vfnb.Job, tmp_path: Path) -> None:
    gates, seen = Gates(folder=tmp_path, steps=(3,)), Seen()
    job = job_of(convnet_task(), tmp_path, 1, faults=gates, on_event=seen)
    _, resized = _suspend(job, gates, seen)

    assert (job.state, job.workers, job.mapping) == ("paused", (), None)
    with pytest.raises(vfnb.StateError, match=r"is suspended and has no devices.*job.resize\(1\) gives it some"):
        job.resume()
    with pytest.raises(vfnb.StateError, match="so there is nothing to map"):
        job.map({0: 8})
    with pytest.raises(TimeoutError, match="is paused after"):
        job.wait(timeout=0.01)
    assert job.save() == job.run_dir / "checkpoints" / f"step-{resized.step:08d}"
    held, copy, model = job.fingerprint, job.save(tmp_path / "copy"), job.model
    job.stop()
    job.wait(timeout=60)

    assert (job.state, job.fingerprint) == ("stopped", held)
    assert all(torch.equal(one, other) for one, other in zip(model.parameters(), job.model.parameters(), strict=True))
    for saved in (copy, job.run_dir):
        loaded = vfnb.Job.load(saved, convnet_task(), engine="inline")
        assert loaded.fingerprint == held
        assert finished(loaded).fingerprint == reference.fingerprint


def test_a_worker_killed_on_the_way_out_and_one_on_the_way_back_change_no_bit(
    reference: vfnb.Job, tmp_path: Path
) -> None:
    gates, seen = Gates(folder=tmp_path, steps=(3, 6)), Seen()
    job = job_of(convnet_task(), tmp_path, slots(2), faults=gates, on_event=seen)
    job.start()
    seen.wait_for(WorkerJoined, 2)
    reach(job, "running")
    away = job.resize(0)
    os.kill(job.workers[0].pid, signal.SIGKILL)
    gates.open(3)
    assert away.result(timeout=60) is not None
    assert job.state == "paused"

    back = job.resize(1)
    seen.wait_for(WorkerJoined, 3)
    until(lambda: job.workers)
    os.kill(job.workers[0].pid, signal.SIGKILL)
    gates.open(6)
    job.wait(timeout=60)

    assert back.result(timeout=0) is not None
    assert job.fingerprint == reference.fingerprint


def _suspend(job: vfnb.Job, gates: Gates, seen: Seen) -> tuple[list[int], Resized]:
    """Start a job and take its devices away at the step that is gated."""
    job.start()
    reach(job, "running")
    pids = [worker.pid for worker in job.workers]
    away = job.resize(0)
    gates.open(3)
    resized = away.result(timeout=60)
    assert isinstance(resized, Resized)
    return pids, resized
