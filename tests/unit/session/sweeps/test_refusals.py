"""What a sweep refuses, and what it does where a run goes wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from session_doubles import pairs
from sweep_doubles import LONG, PlayedEngine, accuracy, by_rate, done, measured_task, swept, unrated

import vfnb
from vfnb.ground import SpecError
from vfnb.runtime import Program
from vfnb.spec import Options, VirtualCluster


def named_as_a_metric(accuracy: int) -> vfnb.Task:
    return measured_task()


# -- what differs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"task": by_rate(0.5)}, r"optimizer\.groups\[0\]\.lr was 0\.1, is 0\.5 here"),
        ({"task": measured_task(train=pairs(20))}, r"data\.length was 24, is 20 here"),
        ({"steps": 7}, "steps was 6, is 7 here"),
        ({"nodes": 2}, r"cluster\.count was 1, is 2 here"),
        ({"options": Options(check=False, clip_norm=1.0)}, r"options\.clip_norm was nothing, is 1\.0 here"),
    ],
)
def test_another_task_in_the_same_directory_is_refused_with_what_differs(changes: dict[str, Any], says: str) -> None:
    engine = PlayedEngine()
    done(engine)

    with pytest.raises(SpecError, match=rf"is of another job: .*{says}.*; give another name="):
        swept(engine, **changes)
    assert len(engine.runs) == 4


def test_other_axes_in_the_same_directory_are_refused() -> None:
    done()

    with pytest.raises(SpecError, match=r"goes over batch, seed, this one over batch, seed, lr; give another name="):
        swept(task=by_rate, grid={"lr": [0.1]})


def test_a_directory_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("mine")

    with pytest.raises(SpecError, match="is no sweep's"):
        swept(run_dir=tmp_path / "notes")
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["a.txt"]


def test_a_later_version_is_refused(tmp_path: Path) -> None:
    head = done().run_dir / "sweep.json"
    head.write_text(json.dumps(json.loads(head.read_text()) | {"version": 9}))

    with pytest.raises(SpecError, match="has version 9; this vfnb reads 1"):
        swept()


# -- what goes wrong -----------------------------------------------------------------------------------------


def test_a_run_that_fails_is_recorded_and_the_others_go_on(caplog: pytest.LogCaptureFixture) -> None:
    def task(batch: int) -> vfnb.Task:
        if batch == 8:
            raise ValueError("no room\nfor eight")
        return measured_task()

    sweep = done(task=task, batches=[4, 8, 16], seeds=[0])

    assert sweep.table.state.tolist() == ["done", "failed", "done"]
    assert sweep.table.error.tolist() == ["", "for eight", ""]
    assert "batch 8, seed 0 failed: for eight" in caplog.text
    assert "batch 8, seed 0: for eight" in repr(sweep)
    assert "1 failed" in sweep._repr_html_()


def test_a_failure_in_training_is_recorded_and_tried_again() -> None:
    def failing(program: Program, step: int) -> dict[str, Any]:
        if program.global_batch == 8 and step == 3:
            raise OSError("no processes left")
        return accuracy(program, step)

    first = done(PlayedEngine(failing), seeds=[0])
    again = done(seeds=[0])

    assert first.table.error.tolist() == ["", "no processes left"]
    assert again.table.state.tolist() == ["done", "done"]
    assert again.table.run.tolist() == ["batch-4-seed-0", "batch-8-seed-0~2"]


def test_a_mistake_in_the_first_run_is_seen_in_its_cell_and_leaves_nothing(tmp_path: Path) -> None:
    def task() -> vfnb.Task:
        raise KeyError("data")

    with pytest.raises(KeyError, match="data"):
        swept(task=task)
    assert not (tmp_path / "vfnb-runs").exists()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"task": 3}, "task is a int; give a vfnb.Task, or a function that returns one"),
        ({"task": lambda: 3}, "the task factory returned a int"),
        ({"grid": {"lr": [0.1]}}, r"task is one Task for all; give a function of \(lr\)"),
        ({"task": unrated, "grid": {"lr": [0.1]}}, "the task factory takes no 'lr'"),
        ({"steps": None}, "give exactly one of them"),
        ({"at_once": 0}, "at_once=0 is not possible"),
        ({"at_once": 2, "devices": 1}, r"at_once=2 is more than the devices \(cpu:0\)"),
        ({"at_once": 2, "engine": "inline"}, "engine='inline' has not"),
        ({"engine": "remote"}, "engine='remote' is unknown"),
        ({"name": "a/b"}, "cannot name a run's directory"),
        ({"target": ("recall", 0.5)}, "target 'recall' is not measured; the task has loss, evaluation_loss, accuracy"),
        ({"task": named_as_a_metric, "grid": {"accuracy": [1]}}, "grid has 'accuracy', which is a metric of the task"),
        ({"nodes": lambda batch: VirtualCluster(accelerator="", count=1, global_batch=7)}, "of batch 7 for batch 4"),
        ({"nodes": 0}, "count=0 is not possible"),
    ],
)
def test_what_cannot_be_swept_is_refused_before_anything_is_written(
    changes: dict[str, Any], says: str, tmp_path: Path
) -> None:
    engine = changes.pop("engine", None)

    with pytest.raises(SpecError, match=says):
        swept(engine, **changes)
    assert not (tmp_path / "vfnb-runs").exists()


def test_waiting_no_longer_than_asked() -> None:
    engine = PlayedEngine(holding=True)
    sweep = swept(engine)

    with pytest.raises(TimeoutError, match="sweep 'sweep' is not done after 0 s of waiting; it goes on"):
        sweep.wait(0)

    sweep.stop()
    sweep.wait(LONG)


def test_an_interrupt_ends_the_waiting_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = PlayedEngine(holding=True)
    sweep = swept(engine)
    engine.begun(1)

    def interrupted(timeout: float) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sweep._crew, "join", interrupted)
        sweep.wait()

    assert capsys.readouterr().out == "sweep 'sweep' goes on; sweep.stop() ends it\n"
    assert sweep.running
    sweep.stop()
    sweep.wait(LONG)
