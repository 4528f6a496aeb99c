"""What is drawn of what a job says."""

import numpy as np
import pytest
from telling import told

from vfnb.notebook.panel.marks import KINDS
from vfnb.notebook.panel.scene import Scene, View, scene
from vfnb.spec import (
    CheckpointSaved,
    Event,
    Failed,
    Paused,
    Resized,
    Resumed,
    StepRedone,
    StepSkipped,
    Warned,
    WorkerLost,
)

RESIZED = Resized(step=5, before=("cpu:0",), after=("cpu:0", "cpu:1"), downtime=0.042)


def drawn(steps: int = 20, view: View | None = None, **changes: object) -> Scene:
    return scene(told(steps, **changes), View() if view is None else view)


def test_a_running_job_says_how_far_it_is_and_how_long_it_takes() -> None:
    head = drawn().head

    assert head.state == "training"
    assert head.done == pytest.approx(0.2)
    assert head.progress == (
        "step 20 of 100 · epoch 2 of 10 · loss 0.05 · 512 samples/s · about 1 min 20 s of training left"
    )
    assert head.here == "cpu:0, cpu:1"


def test_a_paused_job_promises_no_end() -> None:
    head = drawn(state="paused").head

    assert head.state == "paused at step 20"
    assert "stands still, about 1 min 20 s of training left" in head.progress
    assert "samples/s" not in head.progress


def test_a_job_without_devices_says_so() -> None:
    assert drawn(state="paused", workers=(), mapping=None).head.state == "suspended at step 20, without devices"


@pytest.mark.parametrize("state", ["new", "starting", "failed", "done"])
def test_a_job_without_steps_is_drawn(state: str) -> None:
    made = drawn(0, state=state, mapping=None, workers=())

    assert made.head.progress == "step 0 of 100"
    assert all(len(curve.x) == 0 for curve in made.curves)


def test_an_ended_job_has_no_time_left() -> None:
    assert "left" not in drawn(state="stopped").head.progress


def test_first_the_loss_alone_is_drawn_then_all() -> None:
    columns = {"accuracy": np.linspace(0, 1, 20), "evaluation_loss": np.ones(20)}

    few, all_ = drawn(columns=columns), drawn(columns=columns, view=View(all_curves=True))

    assert [curve.trace for curve in few.curves] == ["loss", "smooth", "evaluation"]
    names = {curve.trace: curve.name for curve in all_.curves}
    assert names["metric 0"] == "accuracy"
    assert {"lr", "noise", "batch", "speed"} <= set(names)


def test_a_long_run_is_drawn_with_few_points() -> None:
    made = drawn(100_000, view=View(all_curves=True))

    assert max(len(curve.x) for curve in made.curves) <= 1000


def test_every_kind_of_mark_stands_on_the_axis_with_its_sentence() -> None:
    events: tuple[Event, ...] = (
        RESIZED,
        WorkerLost(step=6, worker=1, device="cpu:1", reason="killed"),
        Paused(step=7),
        Resumed(step=7),
        StepRedone(step=8, tensors=("a", "b")),
        StepSkipped(step=9, node=1, what="gradient"),
        CheckpointSaved(step=9, path="x"),
    )

    marks = drawn(events=events).marks

    assert {mark.kind for mark in marks} == set(KINDS)
    assert [mark.x for mark in marks] == [5, 6, 7, 7, 8, 9]
    assert marks[0].text == "step 5: 1 to 2 workers, 42 ms without training"
    assert marks[4].text == "step 8: done again, 2 tensors outgrew the grid"


def test_many_marks_of_a_kind_leave_the_newest() -> None:
    events = tuple(StepRedone(step=step, tensors=("a",)) for step in range(1, 1001))

    marks = drawn(1000, events=(RESIZED, *events)).marks

    assert len(marks) == 201
    assert marks[-1].x == 1000


def test_the_newest_resize_is_said_beside_the_buttons() -> None:
    assert drawn(events=(RESIZED,)).head.resized == "1 to 2 workers, 42 ms without training (step 5)"
    assert drawn().head.resized == ""


def test_what_went_wrong_is_not_pushed_out_by_checkpoints() -> None:
    saved = tuple(CheckpointSaved(step=step, path=f"step-{step}") for step in range(9))

    notices = drawn(events=(Warned(step=1, message="odd"), *saved, Failed(step=9, error="boom"))).notices

    assert [(one.kind, one.text) for one in notices] == [
        ("warning", "odd"),
        ("error", "boom"),
        ("note", "step 8: checkpoint in step-8"),
    ]
