"""The simulator: what changes cost, rounds, lost devices, and policies that cannot be carried out."""

import pytest

from vfnb.ground import PlanError, SpecError
from vfnb.planning import Costs, Decision, Policy, Scaling, State
from vfnb.simulation import Loss, Outcome, Trace, TraceJob, random_losses, simulate


def job(name: str, arrival: float, demand: int, duration: float, **rest: float) -> TraceJob:
    return TraceJob(name=name, arrival_s=arrival, demand=demand, duration_s=duration, **rest)  # type: ignore[arg-type]


def trace(*jobs: TraceJob, devices: int = 4, **costs: float) -> Trace:
    return Trace(name="test", jobs=jobs, devices={"device": devices}, costs=Costs(**costs))


def finished(outcome: Outcome) -> list[float]:
    return [each.finished_s for each in outcome.jobs]


def scripted(*steps: tuple[float, dict[str, int]]) -> Policy:
    """Give out devices by the clock."""

    def decide(state: State) -> Decision:
        counts = next(counts for time, counts in reversed(steps) if time <= state.now)
        here = {claim.name for claim in state.claims}
        return Decision(allocations={name: (("device", n),) for name, n in counts.items() if n and name in here})

    return Policy(name="scripted", decide=decide, elastic=True, preempts=True)


TICKS = [job(f"tick{at}", at, 1, 0.001) for at in (100.0, 130.0, 200.0)]  # moments at which a policy is asked


def test_a_start_waits_before_its_first_step() -> None:
    outcome = simulate(trace(job("a", 5, 4, 100), start_s=30), "fifo")

    assert finished(outcome) == [135]
    assert outcome.jobs[0].queueing_s == 0
    assert outcome.utilisation == 1
    assert outcome.useful_utilisation == pytest.approx(100 / 130)


def test_growth_goes_on_behind_the_work_and_then_pauses_it() -> None:
    policy = scripted((0, {"a": 2}), (100, {"a": 4}))

    outcome = simulate(trace(job("a", 0, 4, 200), *TICKS, grow_s=50, pause_s=10, start_s=0), policy_with_ticks(policy))

    # 150 s on half the rate, 10 s of nothing, and the other 125 s of work at the full rate.
    assert finished(outcome)[0] == pytest.approx(150 + 10 + 125)
    assert outcome.jobs[0].resizes == 1


def policy_with_ticks(policy: Policy) -> Policy:
    """Let a tick's job have a device for its moment, wherever the script leaves one."""

    def decide(state: State) -> Decision:
        given = dict(policy.decide(state).allocations)
        free = state.devices - sum(held[0][1] for held in given.values())
        for claim in state.claims:
            if claim.name.startswith("tick") and free:
                given[claim.name] = (("device", 1),)
                free -= 1
        return Decision(allocations=given)

    return Policy(name="scripted", decide=decide, elastic=True, preempts=True)


def test_a_shrink_only_pauses() -> None:
    policy = scripted((0, {"a": 4}), (100, {"a": 2}))

    outcome = simulate(trace(job("a", 0, 4, 200), *TICKS, devices=5, grow_s=50, pause_s=10), policy_with_ticks(policy))

    assert finished(outcome)[0] == pytest.approx(100 + 10 + 200)


def test_a_resize_during_the_start_does_not_shorten_it() -> None:
    policy = scripted((0, {"a": 4}), (100, {"a": 2}))

    outcome = simulate(trace(job("a", 0, 4, 200), *TICKS, devices=5, start_s=120), policy_with_ticks(policy))

    assert finished(outcome)[0] == pytest.approx(120 + 400)


def test_a_growth_during_the_start_works_on_what_it_has_until_it_is_ready() -> None:
    policy = scripted((0, {"a": 2}), (100, {"a": 4}))

    outcome = simulate(trace(job("a", 0, 4, 200), *TICKS, devices=5, start_s=110, grow_s=30), policy_with_ticks(policy))

    assert finished(outcome)[0] == pytest.approx(130 + 190)


def test_a_suspended_job_keeps_its_work_and_starts_again() -> None:
    policy = scripted((0, {"a": 4}), (100, {"a": 0}), (200, {"a": 4}))

    outcome = simulate(trace(job("a", 0, 4, 150), *TICKS, devices=5, start_s=10), policy_with_ticks(policy))

    assert finished(outcome)[0] == pytest.approx(200 + 10 + 60)
    assert [change.devices for change in outcome.changes if change.job == "a"] == [4, 0, 4, 0]


def test_rounds_decide_at_their_multiples_and_free_devices_at_their_end() -> None:
    rounds = Policy(
        name="rounds", decide=lambda state: Decision(allocations={state.claims[0].name: (("device", 1),)}), round_s=60
    )

    outcome = simulate(trace(job("a", 10, 1, 30), job("b", 20, 1, 30), job("c", 500, 1, 10), devices=1), rounds)

    assert [each.started_s for each in outcome.jobs] == [60, 120, 540]
    assert finished(outcome) == [90, 150, 550]


def test_time_in_rounds_follows_the_shares_of_a_program() -> None:
    heavy, light = job("heavy", 0, 1, 36_000, priority=2), job("light", 0, 1, 36_000)

    outcome = simulate(trace(heavy, light, devices=1), "gavel-max-min")

    starts = [(change.time, change.job) for change in outcome.changes if change.devices and change.time < 30 * 360]
    held = dict.fromkeys(("heavy", "light"), 0.0)
    for (begin, name), (end, _) in zip(starts, [*starts[1:], (30 * 360, "")], strict=True):
        held[name] += end - begin
    assert held == {"heavy": 20 * 360, "light": 10 * 360}


def test_an_elastic_job_goes_on_without_a_lost_device_and_gets_it_back() -> None:
    loss = Loss(at_s=100, kind="device", back_s=200)

    outcome = simulate(trace(job("a", 0, 4, 300), recover_s=5), "elastic", losses=[loss])

    # 100 done, 95 s on three of four devices, and the rest on all four.
    assert finished(outcome) == [pytest.approx(200 + 300 - 100 - 95 * 0.75)]
    assert [(change.devices, change.why) for change in outcome.changes] == [
        (4, "decided"),
        (3, "lost"),
        (4, "decided"),
        (0, "done"),
    ]


def test_a_job_of_fixed_size_starts_again_from_its_checkpoint_once_the_device_is_back() -> None:
    loss = Loss(at_s=100, kind="device", back_s=200)

    outcome = simulate(trace(job("a", 0, 4, 300), checkpoint_s=40, start_s=10), "fifo", losses=[loss])

    # 90 done by then, 40 of it again.
    assert finished(outcome) == [pytest.approx(200 + 10 + 300 - 50)]


def test_losing_an_idle_device_disturbs_nobody() -> None:
    loss = Loss(at_s=50, kind="device", back_s=60)

    outcomes = [simulate(trace(job("a", 0, 1, 100)), "fifo", losses=[loss], seed=seed) for seed in range(20)]

    assert {round(outcome.makespan_s) for outcome in outcomes} > {100}
    assert any(outcome.makespan_s == 100 for outcome in outcomes)


def test_losses_are_drawn_alike_from_a_seed() -> None:
    drawn = [random_losses({"device": 4}, every_s=100, repair_s=10, until_s=1000, seed=seed) for seed in (1, 1, 2)]

    assert drawn[0] == drawn[1] != drawn[2]
    assert all(loss.back_s == loss.at_s + 10 for loss in drawn[0])
    with pytest.raises(SpecError, match="a device lost from 5 to 5"):
        Loss(at_s=5, kind="device", back_s=5)
    with pytest.raises(SpecError, match="losses name 'gpu' and the cluster has device"):
        simulate(trace(job("a", 0, 1, 1)), "fifo", losses=[Loss(at_s=0, kind="gpu", back_s=1)])


def test_a_users_policy_that_gives_out_too_much_is_refused_with_the_numbers() -> None:
    with pytest.raises(PlanError, match="'greedy' gives out 8 devices of 'device' and there are 4"):
        simulate(trace(job("a", 0, 4, 10), job("b", 0, 4, 10)), greedy)


def greedy(state: State) -> dict[str, int]:
    return {claim.name: claim.demand for claim in state.claims}


def test_a_policy_that_lets_a_job_wait_for_ever_is_refused() -> None:
    with pytest.raises(PlanError, match="leaves a, b waiting for ever"):
        simulate(trace(job("a", 0, 1, 10), job("b", 0, 1, 10)), lambda _: {})


def test_a_trace_of_no_jobs_and_a_cluster_of_no_devices_are_refused() -> None:
    with pytest.raises(SpecError, match="has no jobs"):
        trace()
    with pytest.raises(SpecError, match="0 devices of 'device' is not possible"):
        simulate(trace(job("a", 0, 1, 1)), "fifo", devices=0)
    with pytest.raises(SpecError, match="a cluster of no devices"):
        simulate(trace(job("a", 0, 1, 1)), "fifo", devices={})


def test_a_job_that_has_a_rate_nowhere_is_refused() -> None:
    elsewhere = TraceJob(name="a", arrival_s=0.0, demand=1, duration_s=1.0, rates=Scaling((("tpu", 1, 1.0),)))

    with pytest.raises(SpecError, match="a has a rate on none of device"):
        simulate(trace(elsewhere), "fifo")


def test_figures_are_those_of_a_day_done_by_hand() -> None:
    outcome = simulate(trace(job("a", 0, 4, 100), job("b", 50, 2, 100)), "fifo")

    assert finished(outcome) == [100, 200]
    assert outcome.makespan_s == 200
    assert (outcome.mean_completion_s, outcome.median_completion_s) == (125, 125)
    assert (outcome.mean_queueing_s, outcome.median_queueing_s) == (25, 25)
    assert outcome.utilisation == (400 + 200) / 800
    assert [each.slowdown for each in outcome.jobs] == [1.0, 1.5]
    assert outcome.fairness == pytest.approx(2.5**2 / (2 * 3.25))
    assert list(outcome.timeline["in_use"]) == [4, 0, 2, 0]
    assert list(outcome.timeline.columns) == ["time", "job", "devices", "set", "why", "in_use"]
