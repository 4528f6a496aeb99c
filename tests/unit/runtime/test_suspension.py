"""A run without workers: its state is written, everybody leaves, and it goes on with others. Workers are played."""

from pathlib import Path

import pytest
from stage import Stage, even_again, resize, training

from vfnb.ground import PlanError, TrainingError, WorkerLostError
from vfnb.runtime import messages
from vfnb.spec import CheckpointFailed, CheckpointSaved, Paused, Resized, Resumed, Warned, WorkerLost


def suspended(folder: Path) -> Stage:
    """Give a stage whose run was suspended after step 3."""
    stage = training(folder)
    stage.ask(resize())
    stage.play()
    return stage


def fail_to_write(stage: Stage, worker: int) -> None:
    """Let everybody obey, and a worker find no room for each state that it is to write."""
    while stage.actors[worker].told:
        if isinstance(stage.actors[worker].told[0], messages.Write):
            stage.write(worker, stage.actors[worker].told.popleft(), error="no space left")
        else:
            stage.obey(worker)


def test_a_run_is_suspended_once_its_state_is_a_checkpoint_and_its_workers_are_gone(tmp_path: Path) -> None:
    stage = training(tmp_path)
    change = stage.ask(resize())
    assert stage.told(0) == stage.told(1) == ["Park"]
    for worker in (0, 1):
        stage.obey(worker)
    stage.obey(0)
    assert stage.told(0) == stage.told(1) == ["Leave"]
    assert not change.answer.done()

    stage.play()

    assert change.answer.result(timeout=0) == Resized(step=3, before=("cpu:0", "cpu:1"), after=(), downtime=0.0)
    assert [event.step for event in stage.events(CheckpointSaved)] == [3]
    assert (stage.status.state, stage.workers, stage.status.mapping) == ("paused", (), None)
    assert stage.events(WorkerLost) == []


def test_a_suspended_run_goes_on_from_its_state_on_other_devices(tmp_path: Path) -> None:
    stage = suspended(tmp_path)
    stage.clock += 60.0
    change = stage.ask(resize(4, 5, 6))
    assert stage.status.state == "resizing"
    stage.arrive(2, 3, 4)
    stage.play()
    assert {actor.step for actor in stage.actors.values()} == {3}

    stage.commit(4, (2, 3, 4))

    assert change.answer.result(timeout=0) == Resized(
        step=4, before=(), after=("cpu:4", "cpu:5", "cpu:6"), downtime=pytest.approx(1.0)
    )
    assert (stage.status.state, stage.workers) == ("running", (2, 3, 4))


def test_states_are_given_without_a_worker(tmp_path: Path) -> None:
    stage = suspended(tmp_path)

    snapshot, checkpoint = stage.wish(checkpoint=False), stage.wish(checkpoint=True)

    assert snapshot.answer.result(timeout=0) == {"step": 3}
    assert checkpoint.answer.result(timeout=0) == tmp_path / "checkpoints" / "step-00000003"


def test_a_suspended_run_ends_with_its_state(tmp_path: Path) -> None:
    stage = suspended(tmp_path)

    stage.say("stop")

    assert stage.conductor.over
    assert stage.conductor.final == {"step": 3}
    stage.conductor.close()
    assert (stage.status.state, stage.status.step) == ("stopped", 3)


def test_a_run_is_suspended_before_its_first_step(tmp_path: Path) -> None:
    stage = Stage(tmp_path, 1)
    change = stage.ask(resize())
    stage.arrive(0)
    stage.play()
    assert change.answer.result(timeout=0).after == ()

    stage.ask(resize(0))
    stage.arrive(1)
    stage.play()
    stage.commit(1, (1,))

    assert stage.workers == (1,)
    assert stage.status.state == "running"


def test_a_pause_outlasts_a_suspension(tmp_path: Path) -> None:
    stage = training(tmp_path)
    stage.say("pause")
    stage.play()
    stage.ask(resize())
    stage.play()
    change = stage.ask(resize(0))
    stage.arrive(2)
    stage.play()

    assert change.answer.result(timeout=0).after == ("cpu:0",)
    assert (stage.status.state, stage.workers) == ("paused", (2,))
    stage.say("resume")
    assert stage.told(2) == ["Form"]
    assert len(stage.events(Paused)) == len(stage.events(Resumed)) == 1


def test_a_loss_before_all_stand_still_is_made_good_before_they_leave(tmp_path: Path) -> None:
    stage = training(tmp_path)
    change = stage.ask(resize())
    stage.lose(0)
    stage.play()

    assert change.answer.result(timeout=0) == Resized(step=3, before=("cpu:1",), after=(), downtime=0.0)
    assert stage.wish(checkpoint=False).answer.result(timeout=0) == {"step": 3}


def test_the_last_worker_lost_before_it_stands_still_takes_the_run_to_its_checkpoint(tmp_path: Path) -> None:
    stage = training(tmp_path, workers=1)
    stage.wish(checkpoint=True)
    stage.play()
    stage.commit(4, (0,))
    change = stage.ask(resize())
    stage.lose(0)
    stage.arrive(1)
    stage.play()

    assert change.answer.result(timeout=0).after == ()
    assert stage.wish(checkpoint=False).answer.result(timeout=0) == {"step": 3}
    assert [event.message for event in stage.events(Warned)] == [
        "no worker was left; going on from step 3 with a new one"
    ]


def test_a_step_that_only_one_who_parked_knows_of_is_told_before_all_leave(tmp_path: Path) -> None:
    stage = training(tmp_path)
    stage.actors[0].step = stage.actors[1].step = 4  # committed; who tells of it is lost with its message
    change = stage.ask(resize())
    stage.lose(0)
    stage.obey(1)
    while stage.told(1)[0] != "Form":
        stage.obey(1)
    stage.obey(1)
    stage.commit(4, (1,))
    stage.play()

    assert change.answer.result(timeout=0).step == 4


def test_no_room_for_the_state_calls_the_suspension_off_and_the_run_goes_on(tmp_path: Path) -> None:
    stage = training(tmp_path, workers=1)
    change = stage.ask(resize())

    fail_to_write(stage, 0)

    with pytest.raises(WorkerLostError, match="no space left"):
        change.answer.result(timeout=0)
    assert len(stage.events(CheckpointFailed)) == 1
    stage.commit(4, (0,))
    assert (stage.status.state, stage.workers) == ("running", (0,))


def test_a_state_that_is_no_checkpoint_is_given_and_not_called_one(tmp_path: Path) -> None:
    stage = training(tmp_path, workers=1)
    change = stage.ask(resize())
    stage.obey(0)
    stage.write(0, stage.actors[0].told.popleft(), error="no space left")
    stage.play()
    assert change.answer.result(timeout=0).after == ()

    with pytest.raises(OSError, match="the job has no devices, and so no worker to write a checkpoint"):
        stage.wish(checkpoint=True).answer.result(timeout=0)
    assert stage.wish(checkpoint=False).answer.result(timeout=0) == {"step": 3}


def test_newcomers_that_cannot_begin_leave_a_suspended_run_suspended(tmp_path: Path) -> None:
    stage = suspended(tmp_path)
    change = stage.ask(resize(0, 1))
    stage.arrive(3)
    stage.hear(2, messages.Broke(error=TrainingError("no room", step=0)))

    with pytest.raises(PlanError, match="the resize was cancelled: no room"):
        change.answer.result(timeout=0)
    stage.lose(2)
    stage.lose(3)
    assert (stage.status.state, stage.workers) == ("paused", ())
    again = stage.ask(resize(0))
    stage.arrive(4)
    stage.play()
    stage.commit(4, (4,))
    assert again.answer.result(timeout=0).after == ("cpu:0",)


def test_a_newcomer_lost_before_it_has_the_state_is_replaced(tmp_path: Path) -> None:
    stage = suspended(tmp_path)
    change = stage.ask(resize(0))
    stage.arrive(2)
    stage.lose(2)
    stage.arrive(3)
    stage.play()
    stage.commit(4, (3,))

    assert change.answer.result(timeout=0).step == 4
    assert stage.status.state == "running"


def test_a_new_mapping_of_a_suspended_run_is_refused(tmp_path: Path) -> None:
    stage = suspended(tmp_path)
    change = stage.ask(even_again())
    stage.play()

    with pytest.raises(PlanError, match="has no workers"):
        change.answer.result(timeout=0)
    assert (stage.status.state, stage.workers) == ("paused", ())


def test_a_resize_that_is_asked_before_all_are_gone_follows(tmp_path: Path) -> None:
    stage = training(tmp_path)
    away, back = stage.ask(resize()), stage.ask(resize(0, 1))
    stage.play()
    stage.arrive(2, 3)
    stage.play()
    stage.commit(4, (2, 3))

    assert away.answer.result(timeout=0).after == ()
    assert back.answer.result(timeout=0).after == ("cpu:0", "cpu:1")
