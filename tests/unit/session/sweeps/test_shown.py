"""What a sweep shows of its runs, done and under way."""

import re
from base64 import b64decode
from collections.abc import Callable

import pytest
from session_doubles import seeded_net
from sweep_doubles import LONG, PlayedEngine, PlayedRun, by_rate, done, measured_task, swept

import vfnb
from vfnb.ground import SpecError
from vfnb.session import Sweep

# -- what is shown -------------------------------------------------------------------------------------------


def test_steps_to_the_target_are_found_and_missed() -> None:
    sweep = done(target=("accuracy", 0.5), steps=lambda batch: 4 if batch == 4 else 6)

    assert sweep.table.steps_to_target.tolist()[0] == 4
    assert sweep.table.steps_to_target.isna().tolist() == [False, True, True, True]
    picture = sweep.steps_chart()
    assert picture is not None
    assert (
        picture.notes[-1]
        == "accuracy 0.5 was never reached, so there is no point, by batch 4 (1 of 2 runs); batch 8 (2 of 2 runs)"
    )


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


def test_a_run_that_was_not_evaluated_yet_can_be_shown() -> None:
    engine = PlayedEngine(lambda program, step: {}, holding=True)
    sweep = swept(engine, seeds=[0], target=("accuracy", 0.5))
    engine.begun(1)

    assert "1 running" in sweep._repr_html_()
    assert "1 running" in repr(sweep)
    assert sweep.curves().table.empty

    sweep.stop()
    sweep.wait(LONG)


def test_curves_over_epochs_put_all_batches_on_one_axis() -> None:
    sweep = done(batches=[4, 12], steps=None, epochs=2, seeds=[0])

    table = sweep.curves("loss").table
    assert table.index.name == "epoch"
    assert table["batch 4"]["mean"].last_valid_index() == table["batch 12"]["mean"].last_valid_index() == 2.0


def test_curves_are_of_the_runs_that_are_asked_for() -> None:
    sweep = done(task=by_rate, grid={"lr": [0.1, 0.2]}, seeds=[0])

    table = sweep.curves("loss", where={"lr": 0.2, "batch": [4, 8]}).table

    assert list(table.columns.get_level_values(0).unique()) == ["batch 4, lr 0.2", "batch 8, lr 0.2"]
    assert sweep._repr_html_().count("<img") == 3, "a chart, and curves for each rate"
    with pytest.raises(SpecError, match="where has 'rate'; the sweep goes over batch, seed, lr"):
        sweep.curves(where={"rate": 0.2})
    with pytest.raises(SpecError, match=r"no run has {'lr': 0\.3}"):
        sweep.curves(where={"lr": 0.3})


@pytest.mark.parametrize("ask", [lambda sweep: sweep.curves("recall"), lambda sweep: sweep.curves(over="day")])
def test_a_curve_of_nothing_is_refused(ask: Callable[[Sweep], object]) -> None:
    sweep = done(seeds=[0])

    with pytest.raises(SpecError, match=r"no run has 'recall'; there are .*accuracy|give 'epoch' or 'step'"):
        ask(sweep)


def test_a_kept_summary_is_drawn_beside_what_was_trained() -> None:
    sweep = done(batches=[4, 8], seeds=[0])
    kept = sweep.summary.assign(runs=5, low=0.1, high=0.2)

    beside = sweep.chart(kept=kept)

    assert "mean, 5 kept" in beside.svg
    assert "mean, 5 kept" not in sweep.chart().svg
    assert beside.table.equals(sweep.chart().table)
    with pytest.raises(SpecError, match=r"the kept summary has no high, low; give what sweep\.summary was"):
        sweep.chart(kept=kept.drop(columns=["low", "high"]))


def test_a_snapshot_needs_no_kernel_and_stays_small() -> None:
    sweep = done(batches=[4, 8, 16, 32], seeds=range(3), steps=400, target=("accuracy", 0.3))

    page = sweep._repr_html_()

    assert len(page) < 100_000
    drawings = [b64decode(data).decode() for data in re.findall(r"base64,([^\"]+)", page)]
    assert len(drawings) == 3
    assert any("noise scale 101" in drawing for drawing in drawings)
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

    assert calls[0] == 2, "once to try it, once for the run: nothing is drawn"
