"""Real jobs on a live pool: who has which devices follows the policy, and no job's bits change by it."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from gates import Gates, Seen
from jobs import TASKS, finished, job_of, reach, until

import vfnb
from vfnb.planning import State
from vfnb.runtime import LocalEngine
from vfnb.spec import Recovered, Resized, WorkerJoined, WorkerLost

THREE = {"J0": ("convnet", 4, 1.0), "J1": ("transformer", 2, 5.0), "J2": ("tokens", 4, 10.0)}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Give each job's fingerprint where it trains by itself."""
    folder = tmp_path_factory.mktemp("inline")
    return {
        name: finished(job_of(TASKS[task](), folder, engine="inline")).fingerprint
        for name, (task, _, _) in THREE.items()
    }


def gated(name: str, folder: Path, *steps: int) -> tuple[vfnb.Job, Gates, Seen]:
    """Make one of the three jobs, with gates that the test opens."""
    task, demand, _ = THREE[name]
    seen = Seen()
    (folder / name).mkdir()
    gates = Gates(folder=folder / name, steps=steps)
    cluster = vfnb.VirtualCluster(accelerator="V100", count=8, global_batch=32)
    job = vfnb.Job(
        TASKS[task](),
        cluster,
        devices=[f"cpu:{index}" for index in range(demand)],
        steps=12,
        name=name,
        run_dir=folder / name / "run",
        engine=LocalEngine(probe=gates),
        options=vfnb.Options(on_event=seen),
    )
    return job, gates, seen


class Day:
    """The three jobs of the paper on four slots, each held at gates until the test has seen how devices are shared."""

    def __init__(self, folder: Path) -> None:
        self.pool = vfnb.Pool([f"cpu:{index}" for index in range(4)], policy="wfs")
        self.jobs = {name: gated(name, folder, 3, 6, 9) for name in THREE}

    def submit(self, name: str) -> None:
        """Let a job in."""
        self.pool.submit(self.jobs[name][0], priority=THREE[name][2])

    def switch(self, *, joined: int = 0, **steps: int) -> None:
        """Open gates to jobs that were told to go on with other devices, once they know and newcomers are up."""
        for name, step in steps.items():
            job, gates, seen = self.jobs[name]
            reach(job, "resizing")
            seen.wait_for(WorkerJoined, joined or 1)
            gates.open(step)

    def finish(self, **steps: int) -> None:
        """Open a job's gates from a step on, and see its end."""
        for name, step in steps.items():
            job, gates, _ = self.jobs[name]
            for gate in (3, 6, 9):
                if gate >= step:
                    gates.open(gate)
            reach(job, "done")

    def shares(self, **share: int) -> None:
        """Wait for a share, and see that it is of whole devices, each in one hand and each worked on."""
        until(lambda: {job.name: len(job.devices) for job in self.pool.jobs if job.devices} == share)
        until(lambda: {name: len(self.jobs[name][0].workers) for name in share} == share)
        named = [device for job in self.pool.jobs for device in job.devices]
        assert len(named) == len(set(named))


def test_the_three_jobs_of_the_paper_share_four_devices_with_the_bits_of_their_solo_runs(
    alone: dict[str, str], tmp_path: Path
) -> None:
    day = Day(tmp_path)
    day.submit("J0")
    day.shares(J0=4)
    day.submit("J1")
    day.switch(J0=3)
    day.shares(J0=2, J1=2)
    day.submit("J2")
    day.switch(J0=6, J1=3)
    day.shares(J0=1, J1=1, J2=2)
    day.finish(J0=9)
    day.switch(J1=6, joined=3)
    day.shares(J1=2, J2=2)
    day.finish(J1=9)
    day.switch(J2=3, joined=4)
    day.shares(J2=4)
    day.finish(J2=6)
    day.pool.wait(timeout=60)

    assert [job.state for job in day.pool.jobs] == ["done"] * 3
    assert {name: job.fingerprint for name, (job, _, _) in day.jobs.items()} == alone
    assert all(list(job.history.step) == list(range(1, 13)) for job, _, _ in day.jobs.values())
    assert sum(day.pool.timeline.groupby("job").devices.last()) == 0


def test_a_worker_killed_in_one_job_is_made_good_and_disturbs_no_other(alone: dict[str, str], tmp_path: Path) -> None:
    pool = vfnb.Pool(["cpu:0", "cpu:1", "cpu:2", "cpu:3"])
    first, gates, seen = gated("J1", tmp_path, 3, 6)
    other, other_gates, other_seen = gated("J0", tmp_path, 3)
    pool.submit(first)
    pool.submit(other)
    until(lambda: [len(job.devices) for job in pool.jobs] == [2, 2])
    seen.wait_for(WorkerJoined, 2)
    other_seen.wait_for(WorkerJoined, 2)
    reach(first, "running")

    os.kill(first.workers[0].pid, signal.SIGKILL)
    gates.open(3)
    seen.wait_for(Recovered)
    seen.wait_for(WorkerJoined, 3)
    gates.open(6)
    seen.wait_for(Resized)
    other_gates.open(3)
    pool.wait(timeout=60)

    assert list(first.history.workers)[-1] == 2
    assert not any(isinstance(event, WorkerLost | Resized) for event in other.events if event.step < 12)
    assert {"J1": first.fingerprint, "J0": other.fingerprint} == {"J1": alone["J1"], "J0": alone["J0"]}


def test_jobs_take_turns_on_one_device_and_nothing_restarts(alone: dict[str, str], tmp_path: Path) -> None:
    turn = {"now": "J1"}

    def by_turns(state: State) -> dict[str, int]:
        here = {claim.name for claim in state.claims}
        return {turn["now"] if turn["now"] in here else min(here): 1}

    pool = vfnb.Pool(["cpu:0"], policy=by_turns)
    jobs: dict[str, Any] = {}
    for name in ("J1", "J2"):
        task, _, priority = THREE[name]
        (tmp_path / name).mkdir()
        gates = Gates(folder=tmp_path / name, steps=(3,))
        job = job_of(TASKS[task](), tmp_path / name, ["cpu:0"], faults=gates)
        jobs[name] = job, gates
        job.name = name
        pool.submit(job, priority=priority)
    reach(jobs["J1"][0], "running")
    turn["now"] = "J2"
    pool.priority("J2", 7.0)
    jobs["J1"][1].open(3)
    until(lambda: jobs["J2"][0].workers)
    assert (jobs["J1"][0].state, jobs["J1"][0].workers) == ("paused", ())
    assert pool.jobs[0].devices == ()
    jobs["J2"][1].open(3)
    pool.wait(timeout=60)

    assert {name: job.fingerprint for name, (job, _) in jobs.items()} == {name: alone[name] for name in jobs}
    assert list(jobs["J1"][0].history.step) == list(range(1, 13))
    assert pool.jobs[0].waited > 0
