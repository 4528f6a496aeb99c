"""What stays of a run: opened, compared, replayed and cited from its directory alone."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
from session_doubles import CLUSTER, Net, pairs, seeded_net, small_task
from torchmetrics.classification import MulticlassAccuracy

from vfnb.ground import SpecError
from vfnb.session import Job, compare, open_run, runs, verify
from vfnb.spec import Options, Row


def trained(**changes: Any) -> Job:
    given: dict[str, Any] = {"task": small_task(), "cluster": CLUSTER, "steps": 6, "engine": "inline"}
    options = Options(fingerprint_every=1)
    job = Job(**(given | {"options": options} | changes))
    job.start()
    job.wait(timeout=60)
    return job


def at_step_three(row: Row) -> bool:
    return row.step == 3


# -- opening


def test_an_opened_run_says_what_its_job_says() -> None:
    done = trained(task=small_task(evaluate=pairs(6), metrics={"accuracy": MulticlassAccuracy(2)}), name="base")

    run = open_run("base")

    assert run.name == done.name
    assert run.run_dir == done.run_dir
    assert run.cluster == done.cluster
    assert run.steps == done.steps
    assert run.state == done.state == "done"
    assert run.events == done.events
    assert run.fingerprint == done.fingerprint
    assert run.fingerprint_notes == done.fingerprint_notes
    pd.testing.assert_frame_equal(run.history, done.history)
    assert list(run.fingerprints) == [1, 2, 3, 4, 5, 6]
    assert [(stage.step, str(stage)) for stage in run.stages] == [(0, "cpu:0: 4")]
    assert set(run.metrics) == {"accuracy", "loss"}


def test_a_run_is_opened_by_directory_by_row_of_runs_and_by_name() -> None:
    done = trained(name="base")

    for path in (done.run_dir, str(done.run_dir), runs()["path"][0], "base"):
        assert open_run(path).fingerprint == done.fingerprint


def test_an_opened_run_is_one_line_and_a_page() -> None:
    trained(name="base")

    run = open_run("base")

    assert repr(run).startswith("<SavedRun 'base', done: step 6 of 6, loss 0.")
    assert f"fingerprint {run.fingerprint[:12]}... at step 6" in repr(run)  # type: ignore[index]  # it ended
    assert "<img" in run._repr_html_()
    assert str(run.fingerprint) in run._repr_html_()


def test_a_run_that_stopped_early_has_its_last_steps_fingerprint() -> None:
    stopped = trained(options=Options(stop_when=at_step_three, fingerprint_every=2))

    run = open_run(stopped.run_dir)

    assert list(run.fingerprints) == [2, 3]
    assert run.fingerprint == stopped.fingerprint


def test_a_torn_line_at_the_end_of_each_file_is_left_out() -> None:
    done = trained(name="base")
    for name in ("steps.jsonl", "events.jsonl", "stages.jsonl"):
        file = done.run_dir / name
        file.write_text(file.read_text()[:-20])

    run = open_run("base")

    assert list(run.history["step"]) == [1, 2, 3, 4, 5]
    assert run.events == done.events[:-1]
    assert run.stages == ()
    assert "<img" in run._repr_html_()


def test_a_run_that_has_no_row_yet_can_be_shown() -> None:
    done = trained(name="base")
    (done.run_dir / "steps.jsonl").unlink()
    (done.run_dir / "events.jsonl").unlink()

    run = open_run("base")

    assert run.fingerprint is None
    assert repr(run).startswith("<SavedRun 'base', running: step 0 of 6")
    assert "base" in run._repr_html_()


def test_where_there_is_no_run_it_says_so_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "run.json").write_text("[]")

    with pytest.raises(SpecError, match=r"there is no run in .*nowhere; vfnb\.runs\(\) lists"):
        open_run("nowhere")
    with pytest.raises(SpecError, match=r"cannot be read .*run\.json damaged"):
        open_run(tmp_path / "odd")


def test_a_history_is_written_as_a_table(tmp_path: Path) -> None:
    done = trained(name="base")
    run = open_run("base")

    csv, parquet = run.save_history("history.csv"), run.save_history(tmp_path / "history.parquet")

    assert csv.is_absolute()
    pd.testing.assert_frame_equal(pd.read_csv(csv), done.history)
    pd.testing.assert_frame_equal(pd.read_parquet(parquet), done.history)
    with pytest.raises(SpecError, match=r"'history\.xls'; give a name ending in \.csv or \.parquet"):
        run.save_history("history.xls")


def test_parquet_without_pyarrow_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    trained(name="base")

    def missing(*args: Any, **kwargs: Any) -> None:
        raise ImportError("no engine\nof many lines")

    monkeypatch.setattr(pd.DataFrame, "to_parquet", missing)

    with pytest.raises(SpecError, match=r"^Parquet needs pyarrow.*pip install pyarrow$"):
        open_run("base").save_history("history.parquet")


# -- the receipt


def test_a_finished_run_has_a_whole_receipt() -> None:
    done = trained(name="base")

    receipt = json.loads((done.run_dir / "receipt.json").read_text())

    assert receipt == open_run("base").receipt
    assert receipt["run"]["state"] == "done"
    assert receipt["fingerprint"] == receipt["fingerprints"]["6"] == done.fingerprint
    assert receipt["fingerprint_step"] == 6
    assert receipt["job"]["seed"] == 0
    assert {"torch", "numpy", "vfnb", "python", "accelerate", "threads", "instructions"} <= set(receipt["environment"])
    assert receipt["mappings"][0]["workers"] == {"0": {"device": "cpu:0", "virtual_nodes": 4}}
    assert "or2022virtualflow" in receipt["citation"]
    assert done.fingerprint in receipt["methods"]


def test_a_run_without_fingerprint_every_pays_for_few_and_has_the_last() -> None:
    done = trained(options=Options())

    run = open_run(done.run_dir)

    assert max(run.fingerprints) == 6
    assert run.fingerprint == done.fingerprint


# -- comparing


def test_runs_that_differ_in_seed_are_one_curve_with_a_spread() -> None:
    first, second = trained(name="a"), trained(name="b", seed=1)
    other = trained(name="c", task=small_task(optimizer=partial(torch.optim.SGD, lr=0.01)))

    compared = compare(first, str(second.run_dir), open_run("c"))

    assert [(group.label, len(group.runs)) for group in compared.groups] == [("a (2 runs, 2 seeds)", 2), ("c", 1)]
    mean = (first.history["loss"] + second.history["loss"]) / 2
    curves = compared.curves
    assert curves["a (2 runs, 2 seeds)"]["mean"].tolist() == pytest.approx(mean.tolist())
    assert curves["a (2 runs, 2 seeds)"]["deviation"].max() > 0
    assert curves["c"]["deviation"].max() == 0
    assert other.state == "done"


def test_the_table_has_final_numbers_and_where_bits_differ() -> None:
    first, same = trained(name="a"), trained(name="b", options=Options(fingerprint_every=2, keep=1))
    other = trained(name="c", seed=1)

    compared = compare(first, same, other)

    table = compared.table
    assert table["fingerprint"].tolist() == [first.fingerprint, first.fingerprint, other.fingerprint]
    assert table["loss"]["a"] == first.history["loss"].iloc[-1]
    assert table["differs_at"].isna().tolist() == [True, True, False]
    assert table["differs_at"]["c"] == 1
    assert "a and b: the same bits at all 3 steps with fingerprints in both, up to step 6" in compared.verdict
    assert "a and c: bits differ at step 1 (from the first fingerprint on)" in compared.verdict


def test_the_first_different_step_is_found_after_equal_ones() -> None:
    first, other = trained(name="a"), trained(name="b")
    file = other.run_dir / "steps.jsonl"
    lines = file.read_text().splitlines()
    changed = [
        line.replace('"fingerprint": "', '"fingerprint": "x') if place >= 3 else line
        for place, line in enumerate(lines)
    ]
    file.write_text("\n".join(changed) + "\n")

    compared = compare(first, other)

    assert compared.verdict == "a and b: bits differ at step 4 (equal up to step 3)"


def test_a_comparison_is_text_in_a_terminal_and_a_page_in_a_notebook() -> None:
    compared = compare(trained(name="a"), trained(name="b", seed=1))

    assert "differs_at" in repr(compared)
    assert "<img" in compared._repr_html_()
    assert "<table" in compared._repr_html_()


def test_what_cannot_be_compared_is_said_in_a_line() -> None:
    new = Job(small_task(), CLUSTER, steps=2, engine="inline", name="new")

    with pytest.raises(SpecError, match="compare got 1 of at least two"):
        compare(new)
    with pytest.raises(SpecError, match="'new' is not started"):
        compare(new, new)
    with pytest.raises(SpecError, match="compare got a int"):
        compare(3, 4)  # type: ignore[arg-type]


# -- verifying


def test_a_run_verifies_as_equal_from_its_directory_its_name_and_its_receipt() -> None:
    done = trained(name="base")

    for source in (done.run_dir, "base", done.run_dir / "receipt.json", open_run("base")):
        verdict = verify(source, small_task(), engine="inline")

        assert verdict.equal
        assert verdict.step is None
        assert verdict.compared == (1, 2, 3, 4, 5, 6)
        assert verdict.fingerprint == done.fingerprint
        assert str(verdict) == "base: equal, 6 fingerprints up to step 6"


def test_a_run_that_stopped_early_is_replayed_up_to_there() -> None:
    stopped = trained(options=Options(stop_when=at_step_three, fingerprint_every=2))

    verdict = verify(stopped.run_dir, small_task(), engine="inline")

    assert verdict.equal
    assert verdict.compared == (2, 3)


def test_other_initial_weights_differ_at_the_first_step_and_are_named() -> None:
    trained(name="base")

    verdict = verify("base", small_task(model=seeded_net(5)), engine="inline")

    assert not verdict.equal
    assert verdict.step == 1
    assert "the task's initial weights are others" in verdict.causes[0]


def test_another_environment_is_named_as_the_likely_cause() -> None:
    done = trained(name="base")
    file = done.run_dir / "receipt.json"
    receipt = json.loads(file.read_text())
    receipt["environment"] |= {"torch": "2.6.0", "threads": "4", "python": "3.11.0"}
    receipt["fingerprints"] |= {str(step): "0" * 64 for step in (4, 5, 6)}
    file.write_text(json.dumps(receipt))

    verdict = verify(file, small_task(), engine="inline")

    assert verdict.step == 4
    assert [cause.partition(" was ")[0] for cause in verdict.causes] == ["threads", "torch", "python"]
    assert "differs at step 4 (equal up to step 3); likely cause: threads was 4, is 1 here; torch was" in str(verdict)


def test_another_jobs_task_is_refused_before_anything_is_trained() -> None:
    trained(name="base")

    with pytest.raises(SpecError, match=r"the task is not that of 'base': optimizer\.name was SGD, is AdamW here"):
        verify("base", small_task(optimizer=torch.optim.AdamW), engine="inline")


def test_a_task_that_moved_to_another_module_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Net, "__module__", "__main__")
    trained(name="base")
    monkeypatch.setattr(Net, "__module__", "train")

    assert verify("base", small_task(), engine="inline").equal


def test_a_run_without_a_fingerprint_has_nothing_to_verify() -> None:
    done = trained(name="base")
    for name in ("steps.jsonl", "events.jsonl"):
        (done.run_dir / name).unlink()

    with pytest.raises(SpecError, match="'base' has no fingerprint on disk yet"):
        verify("base", small_task(), engine="inline")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no receipt"),
        ("[]", "is no receipt of vfnb's"),
        ('{"type": "vfnb receipt", "version": 9}', "has version 9; this vfnb reads 1"),
        ('{"type": "vfnb receipt", "version": 1}', "the receipt is damaged"),
    ],
)
def test_what_is_no_receipt_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "receipt.json").write_text(text)

    with pytest.raises(SpecError, match=said):
        verify(tmp_path / "receipt.json", small_task())


def test_the_heading_in_place_of_the_receipt_is_told_from_it() -> None:
    done = trained(name="base")

    with pytest.raises(SpecError, match=r"run\.json is no receipt; give the run's directory"):
        verify(done.run_dir / "run.json", small_task())


# -- trackers


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # tensorboard's own
def test_a_run_is_logged_to_tensorboard_by_the_end_of_wait() -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    done = trained(options=Options(log_with=("tensorboard",)), name="base")

    read = EventAccumulator(str(done.run_dir / "trackers" / "base"))
    read.Reload()
    assert [event.step for event in read.Scalars("loss")] == [1, 2, 3, 4, 5, 6]


def test_a_tracker_that_is_not_installed_is_a_warning_and_not_the_runs_end() -> None:
    done = trained(options=Options(log_with=("aim",)))

    assert done.state == "done"
    assert any("the tracker aim is told no more of this run" in str(event) for event in done.events)
