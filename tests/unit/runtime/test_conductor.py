"""The driver's decisions in every order of news, without a process: workers are played by the test."""

from pathlib import Path

import pytest
from stage import Stage, even_again, resize, training

from vfnb.ground import StateError, TrainingError
from vfnb.runtime import messages
from vfnb.runtime.changes import settle
from vfnb.runtime.seats import Wish
from vfnb.spec import (
    CheckpointFailed,
    CheckpointSaved,
    Failed,
    Finished,
    Row,
    Stopped,
    WorkerJoined,
)

# -- the beginning


def test_workers_train_once_all_are_up(tmp_path: Path) -> None:
    stage = Stage(tmp_path, 2)
    stage.arrive(0)
    assert stage.told(0) == []

    stage.arrive(1)

    assert stage.told(0) == stage.told(1) == ["Form"]
    stage.play()
    assert stage.status.state == "running"
    assert [event.worker for event in stage.events(WorkerJoined)] == [0, 1]


def test_a_run_that_goes_on_loads_its_checkpoint_first(tmp_path: Path) -> None:
    stage = Stage(tmp_path, 2, resumed=7)
    stage.arrive(0, 1)

    assert stage.told(0) == stage.told(1) == ["Load"]

    stage.play()
    assert {actor.step for actor in stage.actors.values()} == {7}
    assert stage.status.state == "running"


def test_a_run_that_begins_paused_holds_before_the_first_step(tmp_path: Path) -> None:
    stage = Stage(tmp_path, 1, paused=True)
    stage.arrive(0)

    assert stage.told(0) == []
    assert stage.status.state == "paused"

    stage.say("resume")
    assert stage.told(0) == ["Form"]


def test_a_step_that_is_told_twice_is_one_row(tmp_path: Path) -> None:
    stage = training(tmp_path)

    stage.commit(4, (0,))
    stage.commit(4, (1,))

    assert [row.step for row in stage.events(Row)] == [3, 4]


# -- states


def test_a_state_is_written_by_one_worker_while_all_train(tmp_path: Path) -> None:
    stage = training(tmp_path)
    wish = stage.wish(checkpoint=False)
    assert stage.told(0) == stage.told(1) == ["Write"]

    stage.play()

    assert wish.answer.result(timeout=0) == {"step": 3}
    assert stage.status.state == "running"


def test_a_checkpoint_that_cannot_be_written_is_told_and_training_goes_on(tmp_path: Path) -> None:
    stage = training(tmp_path)
    wish = stage.wish(checkpoint=True)
    command = stage.actors[0].told.popleft()

    stage.write(0, command, error="no space left")

    with pytest.raises(OSError, match="no space left"):
        wish.answer.result(timeout=0)
    assert [event.error for event in stage.events(CheckpointFailed)] == ["no space left"]
    assert stage.status.state == "running"


def test_a_timely_checkpoint_is_asked_once_and_only_of_a_run_that_trains(tmp_path: Path) -> None:
    stage = Stage(tmp_path, 1)
    stage.conductor.wish_checkpoint()
    stage.arrive(0)
    stage.obey(0)
    stage.conductor.wish_checkpoint()
    stage.conductor.wish_checkpoint()
    stage.conductor.reconcile()

    assert stage.told(0) == ["Write"]


def test_timely_checkpoints_do_not_put_off_the_end_however_frequent_they_are(tmp_path: Path) -> None:
    stage = training(tmp_path)

    for worker in (0, 1):
        stage.park(worker, "finished")
        stage.conductor.wish_checkpoint()
    for _ in range(20):  # turns of the driver, each of which finds the next one due
        busy = [worker for worker, actor in stage.actors.items() if actor.told]
        if busy:
            stage.obey(busy[0])
        stage.conductor.wish_checkpoint()
        stage.conductor.reconcile()

    assert stage.conductor.over


def test_a_wish_whose_writer_is_gone_is_granted_by_another(tmp_path: Path) -> None:
    stage = training(tmp_path)
    wish = stage.wish(checkpoint=False)

    stage.lose(0)
    stage.actors[1].told.clear()
    stage.strand(1)
    stage.play()

    assert wish.answer.result(timeout=0) == {"step": 3}


def test_a_state_that_cannot_be_handed_over_fails_the_run(tmp_path: Path) -> None:
    stage = training(tmp_path)
    stage.ask(resize(0, 1, 2))
    stage.arrive(2)
    stage.obey(0)
    stage.obey(1)
    command = stage.actors[0].told.popleft()

    stage.write(0, command, error="no space left")
    for worker in (0, 1):  # the last state is not asked for again: there is no room for it either
        while "Write" in stage.told(worker):
            stage.obey(worker)

    stage.conductor.close()
    assert "the state could not be written (no space left); make room in" in str(stage.status.failure)


# -- the end


def test_a_run_that_finishes_hands_over_its_last_state_before_its_workers_go(tmp_path: Path) -> None:
    stage = training(tmp_path)
    stage.park(0, "finished")
    stage.park(1, "finished")
    stage.play()

    assert stage.conductor.over
    assert stage.conductor.final == {"step": 3}
    assert stage.actors == {}
    assert [event.step for event in stage.events(CheckpointSaved)] == [3]
    stage.conductor.close()
    assert stage.status.state == "done"
    assert len(stage.events(Finished)) == 1


def test_a_stop_ends_at_the_boundary_and_a_second_one_drops_the_step(tmp_path: Path) -> None:
    stage = training(tmp_path)
    stage.say("stop")
    assert stage.told(0) == stage.told(1) == ["Park"]

    stage.say("stop")
    assert stage.told(0) == stage.told(1) == ["Park", "Abandon"]
    for worker in (0, 1):
        stage.actors[worker].told.clear()
        stage.strand(worker)
    stage.play()

    stage.conductor.close()
    assert len(stage.events(Stopped)) == 1
    assert stage.conductor.final == {"step": 3}


def test_a_stop_before_anybody_is_up_ends_at_once(tmp_path: Path) -> None:
    stage = Stage(tmp_path, 2)
    stage.say("stop")

    assert stage.conductor.over
    assert stage.told(0) == stage.told(1) == ["Leave"]


def test_what_the_users_code_raises_fails_the_run(tmp_path: Path) -> None:
    stage = training(tmp_path)
    error = TrainingError("division by zero", step=4)
    stage.hear(1, messages.Broke(error=error))
    stage.park(1, "failed")
    stage.park(0, "failed")
    stage.play()

    stage.conductor.close()
    assert stage.status.failure is error
    assert [event.error for event in stage.events(Failed)] == ["division by zero"]


def test_a_first_worker_that_cannot_begin_fails_the_run(tmp_path: Path) -> None:
    stage = Stage(tmp_path, 2)
    stage.hear(0, messages.Broke(error=TrainingError("no such module", step=0)))
    stage.arrive(1)

    assert stage.conductor.over
    stage.conductor.close()
    assert stage.status.state == "failed"


def test_a_resize_that_the_end_overtakes_is_answered_with_nothing(tmp_path: Path) -> None:
    stage = training(tmp_path)
    pending = stage.ask(resize(0, 1, 2))
    stage.park(0, "finished")
    stage.park(1, "finished")
    stage.play()
    late = stage.ask(resize(0))

    assert pending.answer.result(timeout=0) is None
    assert late.answer.result(timeout=0) is None


def test_a_resize_between_its_switch_and_the_first_step_is_answered_with_nothing_at_the_end(tmp_path: Path) -> None:
    stage = training(tmp_path)
    change = stage.ask(even_again())
    stage.play()
    stage.say("stop")
    stage.play()

    assert change.answer.result(timeout=0) is None


def test_wishes_that_no_worker_can_grant_are_answered_after_the_end(tmp_path: Path) -> None:
    stage = training(tmp_path)
    stage.say("stop")
    stage.play()
    wish = Wish(checkpoint=True)
    stage.conductor.wish(wish)
    stage.conductor.reconcile()
    assert not wish.answer.done()

    stage.conductor.abandon_wishes(lambda one: settle(one.answer, error=StateError("over")))

    with pytest.raises(StateError, match="over"):
        wish.answer.result(timeout=0)
