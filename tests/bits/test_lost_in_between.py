"""Workers lost between steps, while state is handed over or a group is formed: the same bits all the same."""

from pathlib import Path

import pytest
import torch
from gates import Gates
from jobs import STEPS, convnet_task, finished, job_of, slots, until

import vfnb
from vfnb.spec import Event, Recovered, Resized, Warned, WorkerJoined, WorkerLost
from vfnb.testing import FaultScript


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> vfnb.Job:
    return finished(job_of(convnet_task(), tmp_path_factory.mktemp("inline"), engine="inline"))


@pytest.mark.parametrize(
    ("lost", "moments"),
    [
        ([0], "the first worker, which writes the state"),
        ([2], "the new worker, which reads it"),
        ([0, 2], "the writer, and then the reader of the next one's"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_workers_killed_in_a_handover_cost_no_bit(
    lost: list[int], moments: str, undisturbed: vfnb.Job, tmp_path: Path
) -> None:
    script = FaultScript()
    for worker in lost:
        script = script.kill(worker, "handover")
    job = _resized(slots(2), slots(3), script, tmp_path)

    assert _lost(job) == lost
    assert _met(job, Recovered)
    _same(job, undisturbed)


def test_a_successor_killed_in_the_handover_leaves_the_state_with_its_predecessor(
    undisturbed: vfnb.Job, tmp_path: Path
) -> None:
    job = _resized(["cpu:0"], ["cpu:5"], FaultScript().kill(1, "handover"), tmp_path)

    assert _lost(job) == [1]
    assert not any("no worker was left" in event.message for event in _met(job, Warned))
    _same(job, undisturbed)


def test_the_only_worker_killed_as_it_hands_over_sends_its_heir_back_to_the_last_state(
    undisturbed: vfnb.Job, tmp_path: Path
) -> None:
    job = _resized(slots(1), slots(2), FaultScript().kill(0, "handover"), tmp_path)

    assert _lost(job) == [0]
    assert any("going on from step 0" in event.message for event in _met(job, Warned))
    _same(job, undisturbed)


def test_the_only_worker_killed_as_it_writes_the_last_state_does_not_leave_a_finished_job_without_it(
    undisturbed: vfnb.Job, tmp_path: Path
) -> None:
    job = finished(job_of(convnet_task(), tmp_path, slots(1), faults=FaultScript().kill(0, "handover", step=STEPS)))

    assert _lost(job) == [0]
    assert job.state == "done"
    _same(job, undisturbed)


@pytest.mark.parametrize("second", [0, 1, 3])
def test_a_second_worker_killed_while_the_others_regroup_costs_no_bit(
    second: int, undisturbed: vfnb.Job, tmp_path: Path
) -> None:
    script = FaultScript().kill(2, "pass", step=5).kill(second, "regrouping", step=4)
    job = finished(job_of(convnet_task(), tmp_path, slots(4), faults=script))

    assert _lost(job) == sorted([2, second])
    _same(job, undisturbed)


def test_two_workers_killed_at_once_while_six_regroup_cost_no_bit(undisturbed: vfnb.Job, tmp_path: Path) -> None:
    script = FaultScript().kill(5, "in_sum", step=5).kill(0, "regrouping", step=4).kill(3, "regrouping", step=4)
    job = finished(job_of(convnet_task(), tmp_path, slots(6), faults=script))

    assert _lost(job) == [0, 3, 5]
    _same(job, undisturbed)


@pytest.mark.parametrize("worker", [0, 1, 2])
def test_a_worker_killed_while_a_resized_group_forms_costs_no_bit(
    worker: int, undisturbed: vfnb.Job, tmp_path: Path
) -> None:
    script = FaultScript()
    for step in range(1, STEPS):  # whichever the resize falls between
        script = script.kill(worker, "regrouping", step=step)
    job = _resized(slots(2), slots(3), script, tmp_path)

    assert _lost(job) == [worker]
    assert _met(job, Recovered)
    _same(job, undisturbed)


def test_a_worker_killed_before_the_first_group_forms_costs_no_bit(undisturbed: vfnb.Job, tmp_path: Path) -> None:
    script = FaultScript().kill(0, "regrouping", step=0)
    job = finished(job_of(convnet_task(), tmp_path, slots(3), faults=script))

    assert _lost(job) == [0]
    _same(job, undisturbed)


def _resized(before: list[str], after: list[str], script: FaultScript, folder: Path) -> vfnb.Job:
    """Train, resized after three steps; the answer comes although workers are lost meanwhile."""
    gates = Gates(folder=folder, steps=(3,), script=script)
    job = job_of(convnet_task(), folder, before, faults=gates)
    job.start()
    until(lambda: job.state == "running")
    change = job.resize(after)
    until(lambda: len(_met(job, WorkerJoined)) == len({*before, *after}))
    gates.open(3)
    assert isinstance(change.result(timeout=60), Resized)
    job.wait(timeout=60)
    return job


def _same(job: vfnb.Job, undisturbed: vfnb.Job) -> None:
    ours, theirs = job.model.state_dict(), undisturbed.model.state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)
    assert job.fingerprint == undisturbed.fingerprint
    assert list(job.history.step) == list(undisturbed.history.step)
    assert list(job.history.loss) == list(undisturbed.history.loss)


def _met(job: vfnb.Job, kind: type[Event]) -> list[Event]:
    return [event for event in job.events if isinstance(event, kind)]


def _lost(job: vfnb.Job) -> list[int]:
    return sorted(event.worker for event in job.events if isinstance(event, WorkerLost))
