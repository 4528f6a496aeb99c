"""What happens in a pool, step by step: nothing moves that the test does not move."""

from typing import Any

import pytest
from pool_doubles import Hall

from vfnb.ground import PlanError, StateError
from vfnb.planning import Policy, State, find_policy
from vfnb.spec import Device


def test_the_papers_three_jobs_share_four_devices_as_published() -> None:
    hall = Hall(4)
    hall.submit("J0", 4, priority=1)
    assert hall.held == {"J0": (0, 1, 2, 3)}

    hall.submit("J1", 2, priority=5)
    assert hall.run("J0").pending is not None
    assert not hasattr(hall.engines["J1"], "run")
    hall.switch("J0")
    assert hall.held == {"J0": (0, 1), "J1": (2, 3)}

    hall.submit("J2", 4, priority=10)
    hall.settle()
    assert {name: len(own) for name, own in hall.held.items()} == {"J0": 1, "J1": 1, "J2": 2}

    hall.end("J0")
    hall.settle()
    assert {name: len(own) for name, own in hall.held.items()} == {"J0": 0, "J1": 2, "J2": 2}
    hall.end("J1")
    hall.settle()
    assert hall.held["J2"] == (0, 1, 2, 3)


def test_who_grows_waits_until_others_have_given_back() -> None:
    hall = Hall(4)
    hall.submit("a", 4)
    hall.submit("b", 4)
    assert hall.held == {"a": (0, 1, 2, 3), "b": ()}

    hall.keeper.turn()
    assert hall.keeper.entries["b"].begun is False
    hall.switch("a")

    assert hall.held == {"a": (0, 1), "b": (2, 3)}
    assert [str(device) for device in hall.run("b").launch.devices] == ["cpu:2", "cpu:3"]


def test_a_jobs_end_gives_its_devices_to_the_others() -> None:
    hall = Hall(2, "fifo")
    hall.submit("a", 2)
    hall.submit("b", 2)
    assert not hall.keeper.entries["b"].begun

    hall.end("a", "failed")

    assert hall.held == {"a": (), "b": (0, 1)}
    first, second = (entry.shown(hall.keeper.now) for entry in hall.keeper.entries.values())
    assert (first.state, second.state) == ("failed", "running")


def test_a_job_that_cannot_start_is_recorded_and_the_others_go_on() -> None:
    hall = Hall(2, "fifo")
    hall.submit("a", 2)
    waits = hall.submit("b", 2)
    hall.submit("c", 1)
    waits.job.run_dir.mkdir(parents=True)
    hall.end("a")

    shown = waits.shown(hall.keeper.now)
    assert shown.state == "failed"
    assert "there is a run in" in shown.error
    hall.keeper.turn()
    assert hall.held == {"a": (), "b": (), "c": (0,)}
    waits.job._free_for("start")


def test_a_higher_priority_takes_devices_at_once() -> None:
    hall = Hall(4)
    for name in ("a", "b"):
        hall.submit(name, 4)
    urgent = hall.submit("c", 4)
    hall.settle()
    assert {name: len(own) for name, own in hall.held.items()} == {"a": 2, "b": 1, "c": 1}

    hall.keeper.weigh(urgent, 20.0)
    hall.keeper.turn()
    hall.settle()

    assert {name: len(own) for name, own in hall.held.items()} == {"a": 1, "b": 1, "c": 2}


def test_a_decision_that_changes_while_a_resize_is_under_way_follows_it() -> None:
    hall = Hall(4)
    hall.submit("a", 4)
    second = hall.submit("b", 4)
    assert hall.run("a").pending is not None

    hall.keeper.let_out(second)
    hall.keeper.turn()
    assert second.shown(0.0).state == "cancelled"
    hall.switch("a")
    hall.settle()

    assert hall.held == {"a": (0, 1, 2, 3), "b": ()}


def test_a_policy_that_takes_all_devices_suspends_a_job_and_gives_them_back() -> None:
    def by_priority(state: State) -> dict[str, int]:
        first = max(state.claims, key=lambda claim: claim.priority)
        return {first.name: 2}

    hall = Hall(2, by_priority)
    hall.submit("a", 2, priority=1)
    hall.submit("b", 2, priority=2)
    assert hall.run("a").pending is not None
    assert hall.run("a").pending[0] == ()
    hall.clock.advance(3.0)
    hall.switch("a")
    assert hall.held == {"a": (), "b": (0, 1)}

    hall.clock.advance(5.0)
    hall.end("b")
    assert hall.keeper.entries["a"].shown(hall.keeper.now).waited == 5.0
    hall.settle()

    assert hall.held == {"a": (0, 1), "b": ()}
    assert hall.keeper.entries["a"].shown(hall.keeper.now).state == "running"
    assert hall.keeper.changes == [(0.0, "a", 2), (3.0, "a", 0), (3.0, "b", 2), (8.0, "b", 0), (8.0, "a", 2)]


def test_an_answer_that_gives_out_more_than_there_is_keeps_a_job_out() -> None:
    def generous(state: State) -> dict[str, int]:
        return {claim.name: 2 for claim in state.claims}

    hall = Hall(3, generous)
    hall.submit("a", 2)

    with pytest.raises(PlanError, match="policy 'generous' gives out 4 devices of 'cpu' and there are 3"):
        hall.submit("b", 2)
    hall.keeper.turn()

    assert hall.held == {"a": (0, 1)}
    assert hall.keeper.failure is None


def test_a_policy_that_fails_at_a_jobs_end_is_known_and_nobody_loses_devices() -> None:
    def moody(state: State) -> dict[str, int]:
        if len(state.claims) == 1 and state.claims[0].name == "b":
            raise ValueError("not today")
        return {claim.name: 1 for claim in state.claims}

    hall = Hall(2, moody)
    hall.submit("a", 2)
    hall.submit("b", 2)
    hall.end("a")

    assert str(hall.keeper.failure) == "not today"
    assert hall.held == {"a": (), "b": (1,)}
    hall.keeper.turn()
    assert str(hall.keeper.failure) == "not today"


def test_a_policy_in_rounds_decides_at_the_first_job_and_then_every_round() -> None:
    asked: list[float] = []

    def equal(state: State) -> Any:
        asked.append(state.now)
        assert state.claims[0].received == ({} if state.now == 0 else {(("cpu", 2),): 60.0})
        return find_policy(lambda state: {claim.name: 1 for claim in state.claims}).decide(state)

    hall = Hall(2, Policy(name="equal", decide=equal, elastic=True, preempts=True, round_s=60.0))
    first = hall.submit("a", 2)
    first.goal = first.held = (Device("cpu", 0), Device("cpu", 1))
    hall.clock.advance(30.0)
    hall.submit("b", 2)
    assert asked == [0.0]

    hall.clock.advance(30.0)
    hall.keeper.turn()

    assert asked == [0.0, 60.0]


def test_a_lost_worker_is_replaced_once_on_its_device() -> None:
    hall = Hall(2)
    entry = hall.submit("a", 2)
    run = hall.run("a")
    run.devices = (Device("cpu", 1),)
    run.mapping = run.launch.policy.remap(run.mapping, [0])
    run.tell("running")
    assert [worker.device.index for worker in entry.job.workers] == [1]

    hall.keeper.turn()
    assert run.pending is not None
    assert set(run.pending[0]) == {Device("cpu", 0), Device("cpu", 1)}
    run.refuse(PlanError("the resize was cancelled: the new worker on cpu:0 is gone"))
    hall.keeper.turn()
    hall.keeper.turn()

    assert run.pending is None
    assert hall.held == {"a": (1,)}


def test_a_job_that_gets_no_devices_in_three_tries_is_stopped() -> None:
    def turns(state: State) -> dict[str, int]:
        return {"b": 1} if any(claim.name == "b" for claim in state.claims) else {"a": 1}

    hall = Hall(1, turns)
    hall.submit("a", 1)
    hall.submit("b", 1)
    hall.switch("a")
    hall.end("b")
    for _ in range(3):
        hall.run("a").refuse(PlanError("the resize was cancelled: no room"))
        hall.keeper.turn()
    hall.keeper.turn()

    shown = hall.keeper.entries["a"].shown(hall.keeper.now)
    assert (shown.state, shown.error) == ("stopped", "it could not go on: the resize was cancelled: no room")
    assert not hall.keeper.busy


def test_while_it_is_in_a_pool_a_jobs_devices_are_the_pools() -> None:
    hall = Hall(1, "fifo")
    runs = hall.submit("a", 1)
    waits = hall.submit("b", 1)

    for verb in (runs.job.start, lambda: runs.job.resize(1), waits.job.start):
        with pytest.raises(StateError, match=r"is in a pool, which decides on its devices.*pool.priority\(job, 8\)"):
            verb()
    runs.job.pause()
    hall.keeper.turn()
    assert hall.held["a"] == (0,)
    hall.keeper.let_out(waits)
    waits.job.start()
    assert waits.job.state == "running"


def test_a_resize_that_meets_the_end_is_no_trouble() -> None:
    hall = Hall(4)
    hall.submit("a", 4)
    hall.submit("b", 4)
    pending = hall.run("a").pending
    assert pending is not None
    hall.run("a").end("done")
    pending[1].set_result(None)
    hall.keeper.turn()

    assert hall.held == {"a": (), "b": (0, 1, 2, 3)}
