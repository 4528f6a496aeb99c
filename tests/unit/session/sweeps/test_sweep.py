"""A sweep over played runs: what is trained, kept, gone on with, refused and shown."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
from session_doubles import Net, pairs, seeded_net, small_task
from sweep_doubles import PlayedEngine, PlayedRun, accuracy
from torchmetrics.classification import MulticlassAccuracy

import vfnb
from vfnb.ground import SpecError, StateError
from vfnb.runtime import Program
from vfnb.session import Sweep
from vfnb.spec import Options, VirtualCluster

QUICK = Options(check=False)
LONG = 30.0


def measured_task(**changes: Any) -> vfnb.Task:
    return small_task(**({"evaluate": pairs(), "metrics": {"accuracy": MulticlassAccuracy(2)}} | changes))


def by_rate(lr: float) -> vfnb.Task:
    return measured_task(optimizer=partial(torch.optim.SGD, lr=lr))


def unrated() -> vfnb.Task:
    return measured_task()


def swept(engine: Any = None, task: Any = None, **changes: Any) -> Sweep:
    """Begin a small sweep."""
    given: dict[str, Any] = {"batches": [4, 8], "seeds": range(2), "steps": 6, "options": QUICK}
    return vfnb.sweep(task or measured_task(), engine=engine or PlayedEngine(), **(given | changes))


def done(engine: Any = None, task: Any = None, **changes: Any) -> Sweep:
    """Make a small sweep to its end."""
    made = swept(engine, task, **changes)
    made.wait(LONG)
    return made


# -- what is trained -----------------------------------------------------------------------------------------


def test_every_batch_and_seed_is_a_run_with_a_row_and_a_record(tmp_path: Path) -> None:
    engine = PlayedEngine()

    sweep = done(engine)

    assert engine.trained == [(4, 0), (8, 0), (4, 1), (8, 1)]
    assert sweep.table[["batch", "seed", "state", "steps", "nodes"]].to_numpy().tolist() == [
        [4, 0, "done", 6, 1],
        [8, 0, "done", 6, 1],
        [4, 1, "done", 6, 1],
        [8, 1, "done", 6, 1],
    ]
    assert sweep.table.accuracy[0] == pytest.approx(1 - 1 / (1 + 6 / 4))
    assert set(vfnb.runs("vfnb-runs/sweep").name) == set(sweep.table.run)
    assert sweep.run_dir == tmp_path / "vfnb-runs" / "sweep"
    assert pd.read_csv(sweep.run_dir / "table.csv").accuracy.tolist() == pytest.approx(sweep.table.accuracy.tolist())


def test_a_factory_is_called_with_what_it_takes_under_the_runs_seed() -> None:
    engine, called = PlayedEngine(), []

    def task(batch: int, lr: float) -> vfnb.Task:
        called.append((batch, lr))
        return measured_task(model=Net(), optimizer=partial(torch.optim.SGD, lr=lr))

    torch.default_generator.manual_seed(0)
    done(engine, task, batches=[4, 8], grid={"lr": [0.1, 0.2]}, name="one")
    torch.default_generator.manual_seed(1)
    done(engine, task, batches=[4, 8], grid={"lr": [0.1, 0.2]}, name="other")

    first = [run.learned["parameters"]["head.weight"] for run in engine.runs]
    assert set(called) == {(4, 0.1), (8, 0.1), (4, 0.2), (8, 0.2)}
    assert all(torch.equal(one, other) for one, other in zip(first[:8], first[8:], strict=True))
    assert not torch.equal(first[0], first[4]), "another seed, other weights"


def test_the_users_generators_stay_as_they_were() -> None:
    torch.default_generator.manual_seed(3)
    before = torch.default_generator.get_state()

    done(task=lambda: measured_task(model=Net()))

    assert torch.equal(torch.default_generator.get_state(), before)


def test_another_threads_draws_do_not_get_into_a_runs_weights() -> None:
    quiet, calls = PlayedEngine(), [0]
    done(quiet, lambda: measured_task(model=Net()), batches=[8], seeds=[0], name="quiet")

    def disturbed() -> vfnb.Task:
        calls[0] += 1
        if calls[0] in (2, 5):
            torch.rand(1)  # what a cell may do just then
        return measured_task(model=Net())

    noisy = PlayedEngine()
    done(noisy, disturbed, batches=[8], seeds=[0], name="noisy")

    weights = [run.learned["parameters"]["head.weight"] for run in (quiet.runs[0], noisy.runs[0])]
    assert torch.equal(*weights)


def test_virtual_nodes_length_and_options_may_follow_the_batch() -> None:
    engine = PlayedEngine()

    done(
        engine,
        batches=[32, 64, 256],
        seeds=[0],
        nodes=lambda batch: VirtualCluster(accelerator="V100", count=batch // 16, global_batch=batch),
        steps=lambda batch: 256 // batch,
        options=lambda batch: Options(check=False, keep=batch // 32),
    )

    assert [run.program.layout.nodes for run in engine.runs] == [2, 4, 16]
    assert [run.program.steps for run in engine.runs] == [8, 4, 1]
    assert [run.program.options.keep for run in engine.runs] == [1, 2, 8]


def test_a_node_has_at_most_32_samples_where_nothing_is_said() -> None:
    engine = PlayedEngine()

    done(engine, batches=[32, 33, 512], seeds=[0])

    assert [run.program.layout.nodes for run in engine.runs] == [1, 2, 16]


def test_runs_side_by_side_share_the_devices_out_and_use_no_more_than_their_blocks() -> None:
    engine = PlayedEngine(holding=True)

    sweep = swept(engine, batches=[32, 64], seeds=[0, 1], devices=["cpu:0", "cpu:1", "cpu:2"], at_once=2)
    first = {run.program.global_batch: run for run in engine.begun(2)}

    assert {str(device) for run in first.values() for device in run.devices} <= {"cpu:0", "cpu:1", "cpu:2"}
    assert set(first[32].devices).isdisjoint(first[64].devices)
    assert len(first[32].devices) == 1, "one block"
    assert len(sweep.jobs) == 2
    for place in range(4):
        engine.begun(place + 1)[place].end()
    sweep.wait(LONG)
    assert not sweep.running


# -- going on ------------------------------------------------------------------------------------------------


def test_the_same_call_trains_nothing_again_and_more_values_the_new_ones_alone() -> None:
    engine = PlayedEngine()
    before = done(engine).table

    again = done(engine)
    assert len(engine.runs) == 4
    pd.testing.assert_frame_equal(again.table, before)

    more = done(engine, batches=[4, 8, 16], seeds=range(3))
    assert engine.trained[4:] == [(16, 0), (16, 1), (4, 2), (8, 2), (16, 2)]
    assert (more.table.state == "done").all()


def test_a_stopped_sweep_goes_on_with_the_bits_of_one_that_was_never_stopped() -> None:
    straight = done("inline", name="straight", batches=[8], seeds=[0])
    cut = done("inline", batches=[8], seeds=[0], options=Options(check=False, stop_when=lambda row: row.step == 3))
    assert cut.table.state.tolist() == ["stopped"]
    assert cut.table.steps.tolist() == [3]

    on = done("inline", batches=[8], seeds=[0])

    assert on.table.fingerprint.tolist() == straight.table.fingerprint.tolist()
    assert on.table.run.tolist() == ["batch-8-seed-0~2"]
    assert vfnb.open_run(on.run_dir / "batch-8-seed-0~2").history.step.tolist() == [4, 5, 6]
    assert on.curves("loss", over="step").table.index.tolist() == [1, 2, 3, 4, 5, 6], "both attempts are one curve"


def test_a_run_that_its_stop_when_ended_is_done() -> None:
    enough = Options(check=False, stop_when=lambda row: row.step == 3)
    engine_runs = done("inline", batches=[8], seeds=[0], options=enough).table.run.tolist()

    again = done("inline", batches=[8], seeds=[0], options=enough)

    assert again.table.run.tolist() == engine_runs == ["batch-8-seed-0"]
    assert "1 done" in repr(again)


def test_stop_begins_no_more_and_the_same_call_makes_the_rest() -> None:
    engine = PlayedEngine(holding=True)
    sweep = swept(engine)
    engine.begun(1)

    sweep.stop()
    sweep.wait(LONG)

    assert sweep.table.state.tolist() == ["stopped", "waiting", "waiting", "waiting"]
    engine.holding = False
    assert (done(engine).table.state == "done").all()


def test_a_call_while_it_trains_gives_the_sweep_at_work() -> None:
    engine = PlayedEngine(holding=True)
    sweep = swept(engine)
    engine.begun(1)

    assert swept(engine) is sweep
    with pytest.raises(StateError, match="trains with other batches"):
        swept(engine, seeds=range(5))

    sweep.stop()
    sweep.wait(LONG)


def test_another_kernel_keeps_its_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = PlayedEngine(holding=True)
    sweep = swept(engine)
    engine.begun(1)
    monkeypatch.setattr("vfnb.session.sweeps.begin._LIVE", {})  # as another process would see it

    with pytest.raises(StateError, match="is trained by another kernel"):
        swept(engine)

    sweep.stop()
    sweep.wait(LONG)


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


# -- what is shown -------------------------------------------------------------------------------------------


def test_steps_to_the_target_are_found_and_missed() -> None:
    sweep = done(target=("accuracy", 0.5), steps=lambda batch: 4 if batch == 4 else 6)

    assert sweep.table.steps_to_target.tolist()[0] == 4
    assert sweep.table.steps_to_target.isna().tolist() == [False, True, True, True]
    picture = sweep.steps_chart()
    assert picture is not None
    assert picture.notes[-1] == "batch 8: 2 of 2 runs never reached accuracy 0.5, so no point is drawn"


def test_the_summary_has_students_interval_over_the_seeds_that_are_done() -> None:
    sweep = done(seeds=range(3), target=("accuracy", 0.3))

    row = sweep.summary.iloc[0]
    assert row.accuracy == pytest.approx(0.6 - 0.001)
    assert row.high - row.accuracy == pytest.approx(4.30265 * 0.001 / 3**0.5, rel=1e-4)
    assert row.runs == 3
    assert row.steps_to_target == pytest.approx(2.0)
    assert row.noise_scale == 101


def test_a_run_under_way_is_in_the_table_and_in_the_curves_of_its_cell_alone() -> None:
    engine = PlayedEngine(holding=True)
    sweep = swept(engine, batches=[4], seeds=[0, 1])
    run: PlayedRun = engine.begun(1)[0]
    run.commit(2)

    assert sweep.table.state.tolist() == ["running", "waiting"]
    assert sweep.table.steps.tolist() == [3, 0]
    assert sweep.curves("loss", over="step").table.index.tolist() == [1, 2, 3]
    assert sweep.summary.runs.tolist() == [0]
    assert "1 running, 1 waiting" in sweep._repr_html_()

    run.commit(3)
    run.end()
    engine.begun(2)
    assert sweep.curves("loss", over="step").table.index.tolist() == [1, 2, 3, 4, 5, 6], "not cut by the one that began"
    sweep.stop()
    sweep.wait(LONG)


def test_curves_over_epochs_put_all_batches_on_one_axis() -> None:
    sweep = done(batches=[4, 12], steps=None, epochs=2, seeds=[0])

    table = sweep.curves("loss").table
    assert table.index.name == "epoch"
    assert table["batch 4"]["mean"].last_valid_index() == table["batch 12"]["mean"].last_valid_index() == 2.0


@pytest.mark.parametrize("ask", [lambda sweep: sweep.curves("recall"), lambda sweep: sweep.curves(over="day")])
def test_a_curve_of_nothing_is_refused(ask: Callable[[Sweep], object]) -> None:
    sweep = done(seeds=[0])

    with pytest.raises(SpecError, match=r"no run has 'recall'; there are .*accuracy|give 'epoch' or 'step'"):
        ask(sweep)


def test_a_snapshot_needs_no_kernel_and_stays_small() -> None:
    sweep = done(batches=[4, 8, 16, 32], seeds=range(3), steps=400, target=("accuracy", 0.3))

    page = sweep._repr_html_()

    assert len(page) < 100_000
    assert page.count("<svg") == 3
    assert "noise scale 101" in page
    assert "<script" not in page


def test_a_sweep_that_has_not_trained_yet_can_be_shown() -> None:
    engine = PlayedEngine(holding=True)
    sweep = swept(engine, seeds=[0])

    assert sweep.chart().svg.startswith("<svg")
    assert sweep.chart("loss").table.runs.tolist() == [0, 0]
    assert len(sweep.table) == 2

    sweep.stop()
    sweep.wait(LONG)


def test_a_model_that_draws_nothing_is_made_once() -> None:
    calls = [0]

    def task() -> vfnb.Task:
        calls[0] += 1
        return measured_task(model=seeded_net())

    done(task=task, batches=[4], seeds=[0])

    assert calls[0] == 3, "once to try it, once for its metrics, once for the run"
