"""Speeds measured from rows and signs of life, the mappings asked for by them, and blocks that move by themselves."""

from pathlib import Path
from typing import Any

import pytest
from measured import speed_of
from session_doubles import FakeEngine, FakeRun, started

from vfnb.ground import PlanError, StateError
from vfnb.planning import even
from vfnb.runtime import Sign
from vfnb.session import Job
from vfnb.session.environment import hardware_of, numeric_environment
from vfnb.session.profiling import _file, _keep, subject_of
from vfnb.spec import (
    Device,
    Layout,
    NodesPerPassHalved,
    Options,
    Paused,
    Profile,
    Rebalanced,
    VirtualCluster,
)

CLUSTER = VirtualCluster(accelerator="", count=12, global_batch=24)
STEP = 0.1  # seconds of the double's steps: 8 samples at 80 a second


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


def job_of(engine: FakeEngine, **changes: Any) -> Job:
    return started(engine, **({"cluster": CLUSTER, "steps": 1000} | changes))


def train(run: FakeRun, seconds: dict[int, float], steps: int, rate: float = 8 / STEP) -> None:
    """Commit steps in which each worker makes its passes in so many seconds each."""
    for _ in range(steps):
        for worker, each in seconds.items():
            before = run.signs.get(worker, sign())
            nodes = run.mapping.counts[worker]
            run.signs[worker] = sign(passes=before.passes + nodes, spent=before.spent + nodes * each, usual=each)
        run.commit(samples_per_second=rate)


def sign(passes: int = 0, spent: float = 0.0, usual: float = 0.0) -> Sign:
    return Sign(beats=passes, phase="compute", step=0, node=0, slowest=usual, usual=usual, passes=passes, spent=spent)


def counts(run: FakeRun) -> list[int]:
    return list(run.mapping.counts.values())


def test_solve_maps_by_the_measured_speeds(engine: FakeEngine) -> None:
    job = job_of(engine)
    train(engine.run, {0: 0.01, 1: 0.02}, 6)

    handle = job.map("solve")

    assert handle.done()
    assert counts(engine.run) == [8, 4]


def test_solve_takes_the_newest_passes_where_no_window_is_closed_yet(engine: FakeEngine) -> None:
    job = job_of(engine)
    engine.run.signs = {0: sign(usual=0.01), 1: sign(usual=0.03)}

    job.map("solve")

    assert counts(engine.run) == [9, 3]


def test_solve_falls_back_to_the_profile(engine: FakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    slow = Device("cpu", 1, slowdown=3)
    job = job_of(engine, devices=["cpu:0", slow])
    for device, times in ((Device("cpu", 0), 1), (slow, 3)):
        profile = profile_of(job, device, times)
        _keep(_file(profile, device), profile)

    job.map("solve")

    assert counts(engine.run) == [9, 3]


def profile_of(job: Job, device: Device, times: float) -> Profile:
    name = {"device": "cpu" + device.remark, "hardware": hardware_of(device)}
    speed = speed_of(lambda samples: 0.001 * samples * times, **name)
    subject = subject_of(job._prepared.blueprint)
    return Profile(subject=subject, versions=numeric_environment(), speeds=(speed,))


def test_solve_says_what_is_missing(engine: FakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    job = job_of(engine)

    with pytest.raises(
        PlanError, match=r"speed of cpu:0 \(worker 0\) and cpu:1 \(worker 1\) is not known.*let the job train a step"
    ):
        job.map("solve")


def test_a_word_that_is_no_mapping_is_refused(engine: FakeEngine) -> None:
    job = job_of(engine)

    with pytest.raises(PlanError, match=r"map\('even'\) is not possible; give virtual nodes by worker.*or 'solve'"):
        job.map("even")  # type: ignore[arg-type]


def test_a_rebalance_that_is_worth_it_is_made_and_another_is_not(engine: FakeEngine) -> None:
    job = job_of(engine)
    assert job.rebalance() is None, "nothing is measured yet"
    train(engine.run, {0: 0.01, 1: 0.02}, 6)

    assert job.rebalance() is not None
    assert counts(engine.run) == [8, 4]

    train(engine.run, {0: 0.0101, 1: 0.02}, 6)
    assert job.rebalance() is None
    assert counts(engine.run) == [8, 4]


def test_an_ended_job_is_not_rebalanced(engine: FakeEngine) -> None:
    job = job_of(engine)
    engine.run.end()

    with pytest.raises(StateError, match="nothing to rebalance"):
        job.rebalance()


def test_auto_moves_blocks_off_a_worker_that_slows_down_and_gives_them_back(engine: FakeEngine) -> None:
    job = job_of(engine, options=Options(rebalance="auto"))
    train(engine.run, {0: 0.01, 1: 0.01}, 20)
    assert counts(engine.run) == [6, 6]

    train(engine.run, {0: 0.01, 1: 0.03}, 10)
    assert counts(engine.run) == [9, 3]

    train(engine.run, {0: 0.01, 1: 0.01}, 60)
    assert counts(engine.run) == [6, 6]

    told = [event for event in job.events if isinstance(event, Rebalanced)]
    assert [(event.before, event.after) for event in told] == [((6, 6), (9, 3)), ((9, 3), (6, 6))]
    assert 20 < told[0].step <= 30
    assert told[0].workers == (0, 1)
    assert told[0].saving == pytest.approx(0.5)


def test_nothing_moves_by_itself_unless_asked_to(engine: FakeEngine) -> None:
    job = job_of(engine)

    train(engine.run, {0: 0.01, 1: 0.05}, 30)

    assert counts(engine.run) == [6, 6]
    assert not any(isinstance(event, Rebalanced) for event in job.events)


def test_a_row_without_a_time_or_of_a_paused_run_opens_no_window(engine: FakeEngine) -> None:
    job = job_of(engine, options=Options(rebalance="auto"))
    train(engine.run, {0: 0.01, 1: 0.05}, 20, rate=float("nan"))
    engine.run.happen(Paused(step=engine.run.step))
    engine.run.tell("paused")
    train(engine.run, {0: 0.01, 1: 0.05}, 20)

    assert counts(engine.run) == [6, 6]
    assert job.rebalance() is None


def test_a_window_waits_for_a_pass_of_every_worker(engine: FakeEngine) -> None:
    job = job_of(engine)
    train(engine.run, {0: 0.01, 1: 0.01}, 1)
    train(engine.run, {0: 0.01}, 10)

    assert job.rebalance() is None
    train(engine.run, {0: 0.01, 1: 0.03}, 1)
    assert job.rebalance() is not None


def test_a_halved_pass_holds_fewer_virtual_nodes(engine: FakeEngine) -> None:
    job = job_of(engine, options=Options(nodes_per_pass="auto"))
    engine.run.signs = {0: sign(usual=0.04), 1: sign(usual=0.12)}
    assert job._balancer._seconds() == pytest.approx({0: 0.04, 1: 0.12})

    engine.run.happen(NodesPerPassHalved(step=1, nodes_per_pass=2))

    assert job._balancer._seconds() == pytest.approx({0: 0.02, 1: 0.06})


def test_other_workers_at_the_switch_are_not_mapped_by_old_speeds(engine: FakeEngine) -> None:
    job = job_of(engine)
    train(engine.run, {0: 0.01, 1: 0.02}, 6)
    propose, solve = job._balancer.worthwhile(), job._balancer.solved()
    engine.run.resize(tuple(Device("cpu", index) for index in range(3)))

    assert propose is not None
    assert propose(engine.run.mapping) == engine.run.mapping
    with pytest.raises(PlanError, match="do not fit a mapping"):
        solve(engine.run.mapping)


def test_blocks_that_come_in_later_follow_what_was_measured_on_those_that_are_there(engine: FakeEngine) -> None:
    job = job_of(engine)
    train(engine.run, {0: 0.01, 1: 0.02}, 6)
    propose = job._balancer.worthwhile()
    growing = even(Layout(24, 24, ((900, 12),)), range(2))

    assert propose is not None
    assert propose(growing).counts == {0: 16, 1: 8}
    assert propose(growing).at(1).counts == {0: 8, 1: 4}
