"""Changes that cannot be, or come at a bad moment: a clear word, and the run goes on with the same bits."""

import resource
from pathlib import Path
from typing import Any

import pytest
from gates import Gates, Seen
from jobs import convnet_task, finished, job_of, reach, slots

import vfnb
from vfnb.spec import CheckpointFailed, CheckpointSaved, Paused, Resized, Warned, WorkerJoined


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> vfnb.Job:
    """Give the undisturbed inline run."""
    return finished(job_of(convnet_task(), tmp_path_factory.mktemp("inline"), engine="inline"))


def test_a_resize_during_a_resize_follows_it(reference: vfnb.Job, tmp_path: Path) -> None:
    gates, seen = Gates(folder=tmp_path, steps=(3, 6)), Seen()
    job = job_of(convnet_task(), tmp_path, slots(2), faults=gates, on_event=seen)
    job.start()
    seen.wait_for(WorkerJoined, 2)
    first, second = job.resize(slots(4)), job.resize(["cpu:2"])
    said = seen.wait_for(Warned)
    seen.wait_for(WorkerJoined, 4)
    gates.open(3)
    grown = first.result(timeout=60)
    gates.open(6)
    shrunk = second.result(timeout=60)
    job.wait(timeout=60)

    assert isinstance(said, Warned)
    assert "a resize is under way; the next one follows it" in [
        event.message for event in job.events if isinstance(event, Warned)
    ]
    assert isinstance(grown, Resized)
    assert isinstance(shrunk, Resized)
    assert (grown.after, shrunk.before, shrunk.after) == (tuple(slots(4)), tuple(slots(4)), ("cpu:2",))
    assert job.fingerprint == reference.fingerprint


def test_what_cannot_be_is_refused_at_once_and_changes_nothing(reference: vfnb.Job, tmp_path: Path) -> None:
    gates, seen = Gates(folder=tmp_path, steps=(3,)), Seen()
    job = job_of(convnet_task(), tmp_path, slots(2), faults=gates, on_event=seen)
    job.start()
    seen.wait_for(WorkerJoined, 2)
    reach(job, "running")
    wrong: list[tuple[Any, type[Exception], str]] = [
        (lambda: job.resize(-1), vfnb.SpecError, "devices=-1 leaves no worker; give a number of at least 1"),
        (lambda: job.resize(["cuda:99"]), vfnb.SpecError, "there is no cuda:99 here; this machine has"),
        (lambda: job.resize(9), vfnb.PlanError, "9 workers cannot share 8 virtual nodes.*use at most 8 workers"),
        (lambda: job.map({0: 3, 1: 4}), vfnb.PlanError, "sum to 7 virtual nodes, but there are 8; add 1"),
        (lambda: job.map({0: 5, 1: 4}), vfnb.PlanError, "sum to 9 virtual nodes, but there are 8; take away 1"),
        (lambda: job.map({0: 8}), vfnb.PlanError, "worker 1 is left out; give every worker its virtual nodes"),
        (lambda: job.map({0: 8, 1: 0}), vfnb.PlanError, "worker 1 cannot own 0 virtual nodes"),
        (lambda: job.map({0: 4, 7: 4}), vfnb.PlanError, "there is no worker 7; the workers are 0, 1"),
        (job.start, vfnb.StateError, "was started already and is running; make a new Job"),
    ]
    for attempt, kind, said in wrong:
        with pytest.raises(kind, match=said):
            attempt()
    gates.open(3)
    job.wait(timeout=60)

    assert not any(isinstance(event, Resized) for event in job.events)
    assert set(job.history.workers) == {2}
    assert job.fingerprint == reference.fingerprint


class SmallDisk:
    """A probe: while a file `full` stands in a folder, checkpoints find no room, as on a full disk."""

    def __init__(self, folder: Path) -> None:
        self._full = folder / "full"

    def __call__(self, point: str, *, worker: int, step: int, detail: int = 0) -> None:
        """Allow a file no more than a kilobyte, or as much as before."""
        full = point == "handover" and self._full.exists()
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024 if full else most, most))


def test_a_full_disk_at_a_checkpoint_leaves_the_old_one_and_the_run(reference: vfnb.Job, tmp_path: Path) -> None:
    seen = Seen()
    gates = Gates(folder=tmp_path, steps=(2, 7), script=SmallDisk(tmp_path))  # type: ignore[arg-type]  # called like a script
    job = job_of(convnet_task(), tmp_path, slots(2), faults=gates, on_event=seen)
    job.start()
    seen.wait_for(WorkerJoined, 2)
    job.pause()
    gates.open(2)
    saved = seen.wait_for(CheckpointSaved)
    seen.wait_for(Paused)
    reach(job, "paused")
    (tmp_path / "full").touch()
    job.resume()
    reach(job, "running")
    job.pause()
    gates.open(7)
    failed = seen.wait_for(CheckpointFailed)
    reach(job, "paused")
    (tmp_path / "full").unlink()
    loaded = vfnb.Job.load(job.run_dir, convnet_task(), engine="inline")
    job.resume()
    job.wait(timeout=60)

    assert isinstance(failed, CheckpointFailed)
    assert failed.error
    assert repr(loaded).startswith(f"<Job '{loaded.name}', new: step {saved.step} of 12")
    assert job.state == "done"
    assert job.fingerprint == reference.fingerprint
    assert finished(loaded).fingerprint == reference.fingerprint
