"""Resizes, pauses and losses in every order of news, without a process: workers are played by the test."""

from pathlib import Path

import pytest
from stage import Stage, even_again, resize, training

from vfnb.ground import PlanError, TrainingError, WorkerLostError
from vfnb.runtime import messages
from vfnb.runtime.changes import Change
from vfnb.spec import (
    CheckpointSaved,
    Failed,
    OutOfMemory,
    Paused,
    Recovered,
    Resized,
    Resumed,
    Warned,
    WorkerLost,
)

# -- resizing


def test_a_resize_leaves_the_others_training_until_the_newcomer_is_up(tmp_path: Path) -> None:
    stage = training(tmp_path)
    change = stage.ask(resize(0, 1, 2))
    assert stage.told(0) == []
    assert stage.status.state == "resizing"

    stage.arrive(2)
    assert stage.told(0) == stage.told(1) == ["Park"]
    stage.play()
    stage.commit(4, (0, 1, 2))

    resized = change.answer.result(timeout=0)
    assert resized == Resized(
        step=4, before=("cpu:0", "cpu:1"), after=("cpu:0", "cpu:1", "cpu:2"), downtime=pytest.approx(1.0)
    )
    assert stage.workers == (0, 1, 2)
    assert stage.status.state == "running"


def test_a_newcomer_takes_over_the_state_before_it_trains(tmp_path: Path) -> None:
    stage = training(tmp_path)
    stage.ask(resize(0, 1, 2))
    stage.arrive(2)

    stage.play()

    assert stage.actors[2].step == 3


def test_who_is_not_needed_leaves_only_once_its_state_is_shared(tmp_path: Path) -> None:
    stage = training(tmp_path)
    stage.ask(resize(5))
    stage.arrive(2)
    stage.obey(0)
    stage.obey(1)
    stage.obey(0)  # writes the state
    assert stage.told(0) == stage.told(1) == []

    stage.obey(2)

    assert stage.told(0) == stage.told(1) == ["Leave"]
    stage.play()
    assert stage.workers == (2,)
    assert stage.events(WorkerLost) == []


def test_a_loss_during_a_resize_leaves_its_place_empty(tmp_path: Path) -> None:
    stage = training(tmp_path)
    change = stage.ask(resize(0, 1, 2))
    stage.arrive(2)
    stage.lose(1)
    stage.play()
    stage.commit(4, (0, 2))

    assert stage.workers == (0, 2)
    assert change.answer.result(timeout=0).after == ("cpu:0", "cpu:2")
    assert len(stage.events(Recovered)) == 1


def test_a_newcomer_that_cannot_begin_cancels_the_resize_and_stops_nobody(tmp_path: Path) -> None:
    stage = training(tmp_path)
    change = stage.ask(resize(0, 1, 2, 3))
    stage.arrive(3)

    stage.hear(2, messages.Broke(error=TrainingError("no room", step=0)))

    with pytest.raises(PlanError, match="the resize was cancelled: no room; the job goes on as before"):
        change.answer.result(timeout=0)
    assert stage.actors[2].killed
    assert stage.actors[3].killed
    assert stage.told(0) == stage.told(1) == []
    stage.lose(2)
    stage.lose(3)
    stage.commit(4, (0, 1))
    assert stage.status.state == "running"
    assert stage.events(Failed) == stage.events(WorkerLost) == []


def test_a_newcomer_that_is_lost_cancels_the_resize(tmp_path: Path) -> None:
    stage = training(tmp_path)
    change = stage.ask(resize(0, 1, 2))

    stage.lose(2, "ended by signal 9")

    with pytest.raises(PlanError, match=r"the new worker on cpu:2 is gone \(ended by signal 9\)"):
        change.answer.result(timeout=0)
    assert stage.told(0) == []


def test_a_second_resize_follows_the_first(tmp_path: Path) -> None:
    stage = training(tmp_path)
    first = stage.ask(resize(0, 1, 2))
    second = stage.ask(resize(0))
    assert [event.message for event in stage.events(Warned)] == ["a resize is under way; the next one follows it"]

    stage.arrive(2)
    stage.play()
    if not second.answer.done():
        stage.commit(4, stage.workers)
    stage.play()
    stage.commit(5, stage.workers)

    assert first.answer.result(timeout=0).after == ("cpu:0", "cpu:1", "cpu:2")
    assert second.answer.result(timeout=0).before == ("cpu:0", "cpu:1", "cpu:2")
    assert stage.workers == (0,)


def test_a_mapping_that_cannot_be_is_told_and_the_run_goes_on(tmp_path: Path) -> None:
    def impossible(_: object) -> None:
        raise PlanError("no such mapping")

    stage = training(tmp_path)
    change = stage.ask(Change(propose=impossible))
    stage.play()

    with pytest.raises(PlanError, match="no such mapping"):
        change.answer.result(timeout=0)
    stage.commit(4, (0, 1))
    assert stage.status.state == "running"


def test_a_paused_run_is_resized_without_a_step(tmp_path: Path) -> None:
    stage = training(tmp_path)
    stage.say("pause")
    stage.play()
    stage.clock += 60.0
    change = stage.ask(resize(0))
    stage.play()

    resized = change.answer.result(timeout=0)
    assert (resized.step, resized.downtime) == (3, 0.0)
    assert stage.workers == (0,)
    assert stage.status.state == "paused"


# -- pausing


def test_a_pause_parks_everybody_writes_a_checkpoint_and_a_resume_goes_on(tmp_path: Path) -> None:
    stage = training(tmp_path)

    stage.say("pause")
    assert stage.told(0) == stage.told(1) == ["Park"]
    stage.play()

    assert [event.step for event in stage.events(Paused)] == [3]
    assert [event.step for event in stage.events(CheckpointSaved)] == [3]
    assert stage.status.state == "paused"
    stage.say("resume")
    stage.play()
    assert len(stage.events(Resumed)) == 1
    assert stage.status.state == "running"


def test_a_pause_during_a_regroup_parks_once_the_group_stands(tmp_path: Path) -> None:
    stage = training(tmp_path)
    stage.ask(even_again())
    stage.obey(0)
    stage.obey(1)
    assert stage.told(0) == stage.told(1) == ["Form"]

    stage.say("pause")
    assert stage.told(0) == ["Form"]
    stage.play()

    assert stage.status.state != "running"
    assert [event.step for event in stage.events(Paused)] == [3]
    assert stage.told(0) == stage.told(1) == []


def test_a_pause_that_is_taken_back_before_anybody_stands_still_is_no_pause(tmp_path: Path) -> None:
    stage = training(tmp_path)
    stage.say("pause")
    stage.say("resume")
    stage.play()

    assert stage.events(Paused) == stage.events(Resumed) == []
    assert stage.status.state == "running"


def test_a_worker_without_memory_pauses_the_run(tmp_path: Path) -> None:
    stage = training(tmp_path)
    news = OutOfMemory(step=4, worker=1, device="cpu:1", node=3, message="no room")

    stage.hear(1, messages.Happened(event=news))
    stage.play()

    assert stage.status.state == "paused"
    assert stage.events(OutOfMemory) == [news]


# -- losses


def test_a_loss_is_told_to_the_survivors_who_go_on_with_its_blocks(tmp_path: Path) -> None:
    stage = training(tmp_path)

    stage.lose(1)
    assert stage.told(0) == ["Abandon"]
    stage.play()
    stage.commit(4, (0,))

    assert stage.workers == (0,)
    assert stage.status.workers[0].virtual_nodes == 8
    (recovered,) = stage.events(Recovered)
    assert (recovered.before, recovered.after, recovered.downtime) == (("cpu:0", "cpu:1"), ("cpu:0",), 1.0)


def test_two_losses_at_once_are_two_recoveries_and_one_regroup(tmp_path: Path) -> None:
    stage = training(tmp_path, 4)
    stage.lose(1)
    stage.lose(3)
    stage.play()
    stage.commit(4, (0, 2))

    assert stage.workers == (0, 2)
    assert len(stage.events(Recovered)) == 2
    assert stage.actors[0].generation == 2


def test_a_loss_while_the_group_forms_makes_another_generation(tmp_path: Path) -> None:
    stage = Stage(tmp_path, 3)
    stage.arrive(0, 1, 2)
    stage.obey(0)

    stage.lose(2)
    assert stage.told(1) == ["Form", "Abandon"]
    stage.actors[1].told.clear()
    stage.strand(1)
    stage.play()

    assert stage.workers == (0, 1)
    assert stage.actors[0].generation == stage.actors[1].generation == 2


def test_a_group_that_does_not_come_about_is_formed_again_with_more_patience(tmp_path: Path) -> None:
    stage = Stage(tmp_path, 2)
    stage.arrive(0, 1)
    for worker in (0, 1):
        stage.actors[worker].told.clear()
        stage.strand(worker)

    again = stage.actors[0].told[0]
    assert isinstance(again, messages.Form)
    assert again.generation == 2
    assert again.patience > 5.0


def test_a_worker_that_dies_after_it_gave_up_a_group_frees_those_who_wait_for_it(tmp_path: Path) -> None:
    stage = Stage(tmp_path, 3)
    stage.arrive(0, 1, 2)
    stage.actors[0].told.clear()
    stage.strand(0)

    stage.lose(0)

    assert stage.told(1) == stage.told(2) == ["Form", "Abandon"]


def test_survivors_that_stand_apart_take_the_newest_state(tmp_path: Path) -> None:
    stage = training(tmp_path, 3)
    stage.actors[1].step = 4
    stage.lose(2)
    stage.play()

    assert stage.actors[0].step == stage.actors[1].step == 4
    assert stage.status.state == "recovering"


def test_a_half_made_update_is_nobodys_source(tmp_path: Path) -> None:
    stage = training(tmp_path)
    stage.hear(0, messages.Broke(error=TrainingError("the optimizer raised", step=3)))
    stage.actors[0].trains = False
    stage.hear(0, messages.Stranded(generation=1, step=-1))
    stage.strand(1)
    stage.play()

    assert stage.conductor.final == {"step": 3}


def test_the_only_worker_lost_is_replaced_from_the_last_checkpoint(tmp_path: Path) -> None:
    stage = training(tmp_path, 1)
    saved = stage.wish(checkpoint=True)
    stage.play()
    assert saved.answer.result(timeout=0).name == "step-00000003"
    stage.commit(4, (0,))

    stage.lose(0)
    stage.arrive(1)
    stage.play()

    assert stage.actors[1].step == 3
    assert [event.message for event in stage.events(Warned)] == [
        "no worker was left; going on from step 3 with a new one"
    ]
    stage.commit(4, (1,))
    assert len(stage.events(Recovered)) == 1


def test_the_only_worker_lost_twice_at_one_step_fails_the_run_and_names_the_remedy(tmp_path: Path) -> None:
    stage = training(tmp_path, 1)
    stage.lose(0)
    stage.lose(1)

    stage.conductor.close()

    assert stage.status.state == "failed"
    assert isinstance(stage.status.failure, WorkerLostError)
    assert "start the job again" in str(stage.status.failure)


def test_workers_that_never_meet_end_the_run_with_where_to_look(tmp_path: Path) -> None:
    stage = Stage(tmp_path, 2)
    stage.arrive(0, 1)
    for _ in range(21):
        for worker in (0, 1):
            stage.actors[worker].told.clear()
            stage.strand(worker)
    stage.play()

    stage.conductor.close()
    assert "could not form a group 20 times in a row" in str(stage.status.failure)
