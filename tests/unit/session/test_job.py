import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from session_doubles import BrokenEngine, FakeEngine, Net, pairs, small_job, small_task, started

from vfnb.ground import PlanError, SpecError, StateError
from vfnb.session import Job, runs
from vfnb.spec import (
    Device,
    Options,
    Resized,
    VirtualCluster,
    Warned,
)

LONG = 30.0


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


# -- the beginning -------------------------------------------------------------------------------------------


def test_a_new_job_has_begun_nothing(engine: FakeEngine) -> None:
    job = small_job(engine)

    assert job.state == "new"
    assert job.workers == ()
    assert job.mapping is None
    assert len(job.history) == 0
    assert job.steps == 6
    assert not job.run_dir.exists()


def test_jobs_of_one_task_begin_with_the_same_fingerprint() -> None:
    task = small_task()

    prints = [small_job(FakeEngine(), task=task, seed=seed).fingerprint for seed in (0, 0, 1)]

    assert prints[0] == prints[1] == prints[2]
    assert len(prints[0]) == 64
    assert small_job(FakeEngine(), task=small_task(model=Net), seed=5).fingerprint != prints[0]


def test_start_launches_what_was_described(engine: FakeEngine, tmp_path: Path) -> None:
    job = started(engine, name="base", seed=7, options=Options(blocks=2))

    launch = engine.run.launch
    assert launch.devices == (Device("cpu", 0), Device("cpu", 1))
    assert launch.mapping.counts == {0: 2, 1: 2}
    assert launch.run_dir == job.run_dir == tmp_path / "vfnb-runs" / "base"
    assert launch.resume is None
    assert engine.run.program.seed == 7
    assert engine.run.program.steps == 6
    assert job.state == "running"
    assert [worker.virtual_nodes for worker in job.workers] == [2, 2]


def test_a_run_directory_is_readable_from_the_first_moment(engine: FakeEngine) -> None:
    job = started(engine, name="base", options=Options(blocks=2))

    head = json.loads((job.run_dir / "run.json").read_text())

    assert head["identity"]["options"]["blocks"] == 2
    assert head["identity"] == json.loads(engine.run.program.identity)
    assert list(runs()["state"]) == ["running"]


def test_starting_twice_is_refused(engine: FakeEngine) -> None:
    job = started(engine, name="base")

    with pytest.raises(StateError, match="job 'base' was started already and is running; make a new Job"):
        job.start()


def test_an_existing_run_directory_is_an_error_that_names_load(engine: FakeEngine) -> None:
    started(engine, name="base")

    with pytest.raises(SpecError, match=r"vfnb\.Job\.load"):
        small_job(engine, name="base")


def test_two_jobs_run_in_one_kernel() -> None:
    engines = FakeEngine(), FakeEngine()
    first, second = (started(engine) for engine in engines)

    engines[0].run.commit(2)
    engines[1].run.commit(1)
    engines[1].run.end()

    assert (len(first.history), len(second.history)) == (2, 1)
    assert (first.state, second.state) == ("running", "done")
    assert first.run_dir != second.run_dir


def test_start_looks_the_job_over_once(engine: FakeEngine) -> None:
    job = small_job(engine, task=small_task(train=pairs(21)))

    assert len(job.check()) == 1
    job.start()

    assert len([event for event in job.events if isinstance(event, Warned)]) == 1


def test_what_the_check_finds_stops_the_start_and_leaves_nothing_behind(engine: FakeEngine) -> None:
    class Broken:
        def __len__(self) -> int:
            return 24

        def __getitem__(self, index: int) -> Any:
            raise KeyError("no such file")

    job = small_job(engine, task=small_task(train=Broken()))

    with pytest.raises(KeyError, match="no such file"):
        job.start()
    assert job.state == "new"
    assert not job.run_dir.exists()


def test_remarks_are_events_and_are_said_aloud(engine: FakeEngine, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "vfnb"):
        job = started(engine, task=small_task(train=pairs(21)), name="base")

    assert "drop_last=True" in caplog.text
    assert "base: " in caplog.text
    assert (job.run_dir / "events.jsonl").read_text().count("drop_last=True") == 1


def test_an_engine_that_cannot_start_leaves_a_failed_job() -> None:
    job = small_job(BrokenEngine())

    with pytest.raises(OSError, match="no processes left"):
        job.start()
    assert job.state == "failed"


# -- refusals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"steps": None}, SpecError, "give exactly one of them"),
        ({"epochs": 1}, SpecError, "give exactly one of them"),
        ({"devices": 0}, SpecError, "devices=0 leaves no worker"),
        ({"devices": ["cuda:99"]}, SpecError, "there is no cuda:99 here; this machine has"),
        ({"devices": 5}, PlanError, "5 workers cannot share 4 virtual nodes in 4 blocks"),
        ({"engine": "ray"}, SpecError, "engine='ray' is unknown"),
        ({"engine": "inline"}, SpecError, "engine='inline' trains on one"),
        ({"options": {"blocks": 2}}, SpecError, r"options is a dict; give vfnb\.Options"),
        ({"cluster": "64"}, SpecError, r"give vfnb\.VirtualCluster\.parse"),
        ({"name": "a/b"}, SpecError, "cannot name a run's directory"),
        ({"options": Options(blocks=9)}, SpecError, "blocks=9 is more than the 4 virtual nodes"),
    ],
)
def test_refuses_a_job_that_cannot_be(changes: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        small_job(**({"engine": FakeEngine()} | changes))


@pytest.mark.parametrize("verb", ["pause", "resume", "stop", "wait"])
def test_a_verb_before_the_start_is_refused_in_a_line(engine: FakeEngine, verb: str) -> None:
    job = small_job(engine, name="base")

    with pytest.raises(StateError, match=r"^job 'base' is not started, so .*job\.start\(\) first$"):
        getattr(job, verb)()


VERBS: dict[str, Callable[[Job], Any]] = {
    "pause": lambda job: job.pause(),
    "resume": lambda job: job.resume(),
    "resize": lambda job: job.resize(1),
    "map": lambda job: job.map({0: 4}),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_after_the_end_is_refused_in_a_line(engine: FakeEngine, verb: str) -> None:
    job = started(engine, name="base")
    engine.run.end()

    with pytest.raises(StateError, match=rf"^job 'base' is done, so there is nothing to {verb}$"):
        VERBS[verb](job)


@pytest.mark.parametrize("verb", ["resize", "map"])
def test_the_inline_engine_refuses_to_change_workers(verb: str) -> None:
    job = small_job(engine="inline", devices=1)  # type: ignore[arg-type]  # by name

    with pytest.raises(StateError, match=r"engine='inline' trains on one device.*use engine='local'"):
        VERBS[verb](job)


# -- verbs ---------------------------------------------------------------------------------------------------


def test_pause_resume_and_stop_are_passed_on(engine: FakeEngine) -> None:
    job = started(engine)

    job.pause()
    assert job.state == "paused"
    job.resume()
    assert job.state == "running"
    job.stop()
    assert job.state == "stopped"
    job.stop()
    assert engine.run.asked == ["pause", "resume", "stop"]


def test_resize_gives_a_handle(engine: FakeEngine) -> None:
    job = started(engine)

    handle = job.resize(3)

    resized = handle.result(timeout=LONG)
    assert isinstance(resized, Resized)
    assert resized.after == ("cpu:0", "cpu:1", "cpu:2")
    assert sum(worker.virtual_nodes for worker in job.workers) == 4


def test_a_resize_to_all_devices_takes_no_more_than_there_are_blocks(engine: FakeEngine) -> None:
    job = started(engine, devices=1, options=Options(blocks=1))

    job.resize(None)

    assert len(job.workers) == 1


@pytest.mark.parametrize(
    ("devices", "error", "said"),
    [
        (-1, SpecError, "devices=-1 leaves no worker"),
        (["cuda:99"], SpecError, "there is no cuda:99 here"),
        (5, PlanError, "5 workers cannot share 4 virtual nodes in 4 blocks"),
    ],
)
def test_a_resize_that_cannot_be_is_refused_at_once(
    engine: FakeEngine, devices: Any, error: type[Exception], said: str
) -> None:
    job = started(engine)

    with pytest.raises(error, match=said):
        job.resize(devices)
    assert len(job.workers) == 2


def test_a_job_that_is_suspended_says_that_it_has_no_devices(engine: FakeEngine) -> None:
    job = started(engine)

    handle = job.resize(0)

    assert repr(handle) == "<resize to no devices: 2 to 0 workers at step 0, 0.10 s>"
    assert (job.state, job.workers, job.mapping) == ("paused", (), None)
    with pytest.raises(StateError, match=r"is suspended and has no devices, so there is nothing to resume; job.resize"):
        job.resume()
    job.resize(1)
    assert [str(worker.device) for worker in job.workers] == ["cpu:0"]


def test_map_sets_the_virtual_nodes_of_each_worker(engine: FakeEngine) -> None:
    job = started(engine)

    handle = job.map({0: 3, 1: 1})

    assert handle.done()
    assert {worker.id: worker.virtual_nodes for worker in job.workers} == {0: 3, 1: 1}
    assert job.mapping is not None
    assert job.mapping.counts == {0: 3, 1: 1}


def test_a_map_that_cannot_be_is_refused_at_once(engine: FakeEngine) -> None:
    job = started(engine, options=Options(blocks=2))

    with pytest.raises(PlanError, match="splitting a block"):
        job.map({0: 3, 1: 1})


def test_more_slots_than_cores_are_warned_of(engine: FakeEngine) -> None:
    cluster = VirtualCluster(accelerator="", count=512, global_batch=512)
    job = small_job(engine, cluster=cluster, devices=300, options=Options(blocks=400))

    assert any("300 threads" in event.message for event in job.events if isinstance(event, Warned))


def test_a_job_that_is_resized_back_is_not_warned_of_the_same_again(engine: FakeEngine) -> None:
    cluster = VirtualCluster(accelerator="", count=512, global_batch=512)
    job = started(engine, cluster=cluster, devices=300, options=Options(blocks=400, check=False))

    for step, workers in enumerate((301, 300, 301), start=1):
        engine.run.commit(step)
        job.resize(workers)

    said = [event.message for event in job.events if isinstance(event, Warned)]
    assert [sum(f"{count} threads" in one for one in said) for count in (300, 301)] == [1, 1]
