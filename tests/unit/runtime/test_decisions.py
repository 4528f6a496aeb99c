"""What is next, for how things are."""

from dataclasses import replace
from pathlib import Path

import pytest
from stage import even_again, resize

from vfnb.runtime import messages
from vfnb.runtime.changes import Transition
from vfnb.runtime.decisions import Arrive, End, GoBack, Rest, Send, Switch, Welcome, decide
from vfnb.runtime.engine import Launch
from vfnb.runtime.known import Known
from vfnb.runtime.seats import Handover, Phase, Seat, Wish
from vfnb.session.policy import first_mapping, policy
from vfnb.spec import Device, Layout

PRIVATE, RUN = Path("private"), Path("run")


def known(*phases: Phase, step: int = 3) -> Known:
    """Give a run of a worker a phase, all at one step."""
    seats = {id_: Seat(id=id_, device=Device("cpu", id_), phase=phase, step=step) for id_, phase in enumerate(phases)}
    devices = tuple(seat.device for seat in seats.values())
    mapping = first_mapping(Layout.of(8), len(phases))
    launch = Launch(devices=devices, mapping=mapping, run_dir=RUN, policy=policy())
    return Known(
        launch=launch,
        private=PRIVATE,
        nccl=lambda _: False,
        mapping=mapping,
        want="train",
        last_commit=0.0,
        seats=seats,
        next_id=len(phases),
        step=step,
    )


def command(decided: object) -> messages.Command:
    assert isinstance(decided, Send)
    return decided.command


def test_a_run_that_trains_undisturbed_needs_nothing() -> None:
    assert decide(known("training", "training")) is None


def test_workers_that_stand_still_form_the_next_generation() -> None:
    decided = decide(known("idle", "idle"))

    assert isinstance(command(decided), messages.Form)
    assert (decided.workers, decided.phase) == ((0, 1), "forming")


@pytest.mark.parametrize("waited_for", ["starting", "busy"])
def test_nothing_is_done_while_a_member_is_on_its_way(waited_for: Phase) -> None:
    assert decide(known("idle", waited_for)) is None


def test_patience_doubles_with_each_group_that_failed_up_to_two_minutes() -> None:
    run = known("idle", "idle")
    patience = []
    for run.failed_forms in (0, 1, 2, 9):
        form = command(decide(run))
        assert isinstance(form, messages.Form)
        patience.append(form.patience)

    assert patience == [5.0, 10.0, 20.0, 120.0]


def test_a_change_starts_its_workers_first_and_waits_for_them() -> None:
    run = known("training", "training")
    run.changes.append(resize(0, 1, 2))
    assert decide(run) == Welcome()

    run.changes[0].begun = True
    run.changes[0].joiners.append(2)
    run.seats[2] = Seat(id=2, device=Device("cpu", 2))
    assert decide(run) is None

    run.seats[2].phase = "idle"
    assert command(decide(run)) == messages.Park(number=1)


def test_a_group_that_is_parking_or_broken_is_told_nothing_more() -> None:
    for flag in ("parking", "broken"):
        run = known("training", "training")
        run.want = "pause"
        setattr(run, flag, True)
        assert decide(run) is None


def test_the_group_is_parked_only_once_all_of_it_trains() -> None:
    run = known("training", "forming")
    run.want = "pause"
    assert decide(run) is None

    run.seats[1].phase = "training"
    assert command(decide(run)) == messages.Park(number=1)


def test_a_stand_is_noted_before_anything_else_is_done() -> None:
    run = known("idle", "idle")
    run.trained = True
    run.wishes.append(Wish(checkpoint=True))

    assert decide(run) == Rest()


def test_wishes_come_before_changes_and_changes_before_the_next_group() -> None:
    run = known("idle", "idle")
    run.changes.append(replace(even_again(), begun=True))
    wish = Wish(checkpoint=True)
    run.wishes.append(wish)
    write = messages.Write(number=1, writer=0, path=str(RUN), checkpoint=True)
    assert decide(run) == Send(command=write, workers=(0,), phase="busy", wish=wish)

    run.wishes.clear()
    assert decide(run) == Switch()


def test_the_newest_state_is_written_once_and_loaded_by_who_lacks_it() -> None:
    run = known("idle", "idle", "idle")
    run.seats[1].step = 4
    write = command(decide(run))
    assert isinstance(write, messages.Write)
    assert write.writer == 1

    run.handover = Handover(step=4, path=Path("state"))
    assert decide(run) == Send(command=messages.Load(path="state"), workers=(0, 2), phase="busy")


def test_who_leaves_is_asked_for_its_state_before_it_goes() -> None:
    run = known("idle", "idle")
    run.mapping = policy().spread(run.mapping, [1])
    run.seats[1].step = 0
    write = command(decide(run))
    assert isinstance(write, messages.Write)
    assert write.writer == 0

    run.seats[1].step = 3
    assert decide(run) == Send(command=messages.Leave(), workers=(0,), phase="leaving")


def test_who_came_for_the_next_change_is_not_sent_away() -> None:
    run = known("idle", "idle")
    run.changes.append(replace(resize(0, 1, 2, 3), begun=True, joiners=[2, 3]))
    run.seats[2] = Seat(id=2, device=Device("cpu", 2), phase="idle")
    run.seats[3] = Seat(id=3, device=Device("cpu", 3))

    assert isinstance(command(decide(run)), messages.Form)


def test_a_paused_run_answers_its_changes_and_forms_no_group() -> None:
    run = known("idle")
    run.want, run.paused = "pause", True
    assert decide(run) is None

    run.transitions.append(Transition(before=(), after=(), since=0.0, answer=None))
    assert decide(run) == Arrive()


def test_the_end_comes_once_the_last_state_is_written_or_nobody_can_write_it() -> None:
    run = known("idle")
    run.want = "end"
    assert isinstance(command(decide(run)), messages.Write)

    run.handover = Handover(step=3, path=Path("state"))
    assert decide(run) == End(last=run.handover)

    run.handover = None
    run.seats.clear()
    assert decide(run) == End(last=None)


def test_a_state_for_which_there_is_no_room_is_not_written_again_at_the_end() -> None:
    ending = replace(known("idle"), want="end", no_room=True)

    assert decide(ending) == End(last=None)


def test_a_run_goes_back_where_nobody_left_has_the_newest_state_and_not_for_a_step_that_is_redone() -> None:
    assert decide(replace(known("idle", "idle"), step=9)) == GoBack(step=3)
    assert isinstance(command(decide(replace(known("idle", "idle"), step=4))), messages.Form)


def test_patience_stays_finite_after_any_number_of_failures() -> None:
    decided = command(decide(replace(known("idle", "idle"), failed_forms=5000)))

    assert isinstance(decided, messages.Form)
    assert decided.patience == 120.0


def test_nothing_is_decided_after_the_end() -> None:
    run = known("idle")
    run.over = True

    assert decide(run) is None
