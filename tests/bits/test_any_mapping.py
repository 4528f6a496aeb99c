"""The promise: the same bits on any number of workers, mapping, resize and loss."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
import torch
from gates import Gates, Seen
from jobs import TASKS, finished, job_of, reach, slots

import vfnb
from vfnb.spec import Recovered, Resized, WorkerJoined, WorkerLost
from vfnb.testing import FaultScript


@pytest.fixture(scope="module")
def references(tmp_path_factory: pytest.TempPathFactory) -> dict[str, vfnb.Job]:
    """Give each task's undisturbed inline run."""
    folder = tmp_path_factory.mktemp("inline")
    return {name: finished(job_of(task(), folder, engine="inline")) for name, task in TASKS.items()}


def same(job: vfnb.Job, reference: vfnb.Job) -> None:
    """Assert equal digests, and, not trusting digests alone, equal tensors."""
    ours, theirs = job.model.state_dict(), reference.model.state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)
    assert job.fingerprint == reference.fingerprint
    assert list(job.history.step) == list(reference.history.step)
    assert list(job.history.loss) == list(reference.history.loss)


@pytest.mark.parametrize("workers", [1, 2, 3, 4])
@pytest.mark.parametrize("name", list(TASKS))
def test_any_number_of_workers_gives_the_bits_of_the_inline_run(
    name: str, workers: int, references: dict[str, vfnb.Job], tmp_path: Path
) -> None:
    job = finished(job_of(TASKS[name](), tmp_path, slots(workers)))

    same(job, references[name])


@pytest.mark.parametrize("change", [{"seed": 1}, {"steps": 11}, {"nudged": True}], ids=["seed", "steps", "one ulp"])
@pytest.mark.parametrize("name", list(TASKS))
def test_another_seed_one_step_less_or_one_ulp_gives_other_bits(
    name: str, change: dict[str, Any], references: dict[str, vfnb.Job], tmp_path: Path
) -> None:
    task = TASKS[name]()
    if (change := dict(change)).pop("nudged", False):
        _nudge(task)
    job = finished(job_of(task, tmp_path, engine="inline", **change))

    with pytest.raises(AssertionError):
        same(job, references[name])
    assert job.fingerprint != references[name].fingerprint


def test_growing_shrinking_and_an_uneven_mapping_keep_the_bits(references: dict[str, vfnb.Job], tmp_path: Path) -> None:
    gates, seen = Gates(folder=tmp_path, steps=(3, 6, 9)), Seen()
    job = job_of(TASKS["convnet"](), tmp_path, slots(2), faults=gates, on_event=seen)
    job.start()
    grown = job.resize(slots(4))
    seen.wait_for(WorkerJoined, 4)
    gates.open(3)
    assert isinstance(grown.result(timeout=60), Resized)
    mapped = job.map({worker.id: nodes for worker, nodes in zip(job.workers, (4, 2, 1, 1), strict=True)})
    reach(job, "resizing")
    gates.open(6)
    assert isinstance(mapped.result(timeout=60), Resized)
    replaced = job.resize(["cpu:5"])
    seen.wait_for(WorkerJoined, 5)
    gates.open(9)
    assert isinstance(replaced.result(timeout=60), Resized)
    job.wait(timeout=60)

    assert len([event for event in job.events if isinstance(event, Resized)]) == 3
    same(job, references["convnet"])


POINTS = ["pass", "before_vote", "after_vote", "in_sum", "before_commit", "after_commit", "evaluation"]


@pytest.mark.parametrize("worker", [0, 1])
@pytest.mark.parametrize("point", POINTS)
def test_a_worker_killed_at_any_point_costs_no_bit(
    point: str, worker: int, references: dict[str, vfnb.Job], tmp_path: Path
) -> None:
    step = 4 if point == "evaluation" else 5
    script = FaultScript().kill(worker, point, step=step, detail=worker if point == "evaluation" else 0)
    job = finished(job_of(TASKS["convnet"](), tmp_path, slots(3), faults=script))

    lost = [event.worker for event in job.events if isinstance(event, WorkerLost)]
    assert lost == [worker]
    assert any(isinstance(event, Recovered) for event in job.events)
    same(job, references["convnet"])


def test_a_step_that_the_first_worker_lacks_keeps_its_row(references: dict[str, vfnb.Job], tmp_path: Path) -> None:
    job = finished(
        job_of(TASKS["convnet"](), tmp_path, slots(3), faults=FaultScript().fail(0, "before_commit", step=5))
    )

    same(job, references["convnet"])


def test_survivors_that_stand_a_step_apart_take_the_newest_state(
    references: dict[str, vfnb.Job], tmp_path: Path
) -> None:
    script = FaultScript().kill(1, "before_commit", step=5).fail(2, "before_commit", step=5)
    job = finished(job_of(TASKS["transformer"](), tmp_path, slots(3), faults=script))

    assert [event.worker for event in job.events if isinstance(event, WorkerLost)] == [1]
    same(job, references["transformer"])


def test_two_workers_killed_at_once_of_six_cost_no_bit(references: dict[str, vfnb.Job], tmp_path: Path) -> None:
    script = FaultScript().kill(0, "after_vote", step=4).kill(4, "after_vote", step=4)
    job = finished(job_of(TASKS["tokens"](), tmp_path, slots(6), faults=script))

    assert sorted(event.worker for event in job.events if isinstance(event, WorkerLost)) == [0, 4]
    same(job, references["tokens"])


def test_a_worker_killed_while_the_others_regroup_costs_no_bit(references: dict[str, vfnb.Job], tmp_path: Path) -> None:
    script = FaultScript().kill(2, "pass", step=5).kill(1, "regrouping", step=4)
    job = finished(job_of(TASKS["convnet"](), tmp_path, slots(4), faults=script))

    assert sorted(event.worker for event in job.events if isinstance(event, WorkerLost)) == [1, 2]
    same(job, references["convnet"])


def test_a_frozen_worker_counts_as_lost_and_costs_no_bit(references: dict[str, vfnb.Job], tmp_path: Path) -> None:
    script = FaultScript().stop(1, "pass", step=5)
    job = finished(job_of(TASKS["convnet"](), tmp_path, slots(2), faults=script))

    [lost] = [event for event in job.events if isinstance(event, WorkerLost)]
    assert lost.worker == 1
    same(job, references["convnet"])


def test_the_only_worker_lost_goes_on_from_the_last_state(references: dict[str, vfnb.Job], tmp_path: Path) -> None:
    script = FaultScript().kill(0, "pass", step=5)
    job = finished(job_of(TASKS["convnet"](), tmp_path, slots(1), faults=script))

    assert any(isinstance(event, WorkerLost) for event in job.events)
    same(job, references["convnet"])


def test_loader_processes_and_a_kill_keep_the_bits(references: dict[str, vfnb.Job], tmp_path: Path) -> None:
    script = FaultScript().kill(1, "in_sum", step=6)
    job = finished(job_of(TASKS["convnet"](), tmp_path, slots(2), faults=script, loader_workers=1), within=90)

    assert any(isinstance(event, WorkerLost) for event in job.events)
    same(job, references["convnet"])


def test_a_paused_job_is_resized_and_goes_on(references: dict[str, vfnb.Job], tmp_path: Path) -> None:
    gates = Gates(folder=tmp_path, steps=(3,))
    job = job_of(TASKS["transformer"](), tmp_path, slots(2), faults=gates)
    job.start()
    job.pause()
    gates.open(3)
    resized = job.resize(slots(3)).result(timeout=60)
    assert job.state == "paused"
    job.resume()
    job.wait(timeout=60)

    assert isinstance(resized, Resized)
    same(job, references["transformer"])


def test_a_stopped_job_goes_on_from_its_checkpoint(references: dict[str, vfnb.Job], tmp_path: Path) -> None:
    stopped = finished(job_of(TASKS["convnet"](), tmp_path, slots(2), stop_when=_after_seven))
    loaded = vfnb.Job.load(stopped.run_dir, TASKS["convnet"](), devices=slots(3))
    assert (stopped.state, stopped.history.step.max()) == ("stopped", 7)
    finished(loaded)

    assert loaded.fingerprint == references["convnet"].fingerprint


def test_a_worker_killed_from_outside_costs_no_bit(references: dict[str, vfnb.Job], tmp_path: Path) -> None:
    gates, seen = Gates(folder=tmp_path, steps=(3, 6)), Seen()
    job = job_of(TASKS["convnet"](), tmp_path, slots(2), faults=gates, on_event=seen)
    job.start()
    grown = job.resize(slots(3))
    seen.wait_for(WorkerJoined, 3)
    gates.open(3)
    grown.result(timeout=60)
    os.kill(job.workers[0].pid, signal.SIGKILL)
    gates.open(6)
    job.wait(timeout=60)

    same(job, references["convnet"])


def _nudge(task: vfnb.Task) -> None:
    """Move one initial weight by one unit in its last place."""
    weight = next(task.parts.model.model.parameters()).detach().view(-1)  # type: ignore[union-attr]  # a snapshot
    weight[0] = torch.nextafter(weight[0], weight[0] + 1)


def _after_seven(row: object) -> bool:
    return row.step == 7  # type: ignore[attr-defined]  # a Row
