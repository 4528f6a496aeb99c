"""Laws that scheduling policies keep on random traces and random states."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from vfnb.planning import (
    Claim,
    Costs,
    Policy,
    Progress,
    Scaling,
    State,
    bundle,
    decided,
    find_policy,
    linear_scaling,
    policies,
)
from vfnb.simulation import Outcome, Trace, TraceJob, random_losses, simulate

ONE_KIND = [policy.name for policy in policies() if policy.kinds == "one"]
ELASTIC = [name for name in ONE_KIND if find_policy(name).elastic]
GAVEL = [policy.name for policy in policies() if policy.kinds != "one"]
FEW = settings(max_examples=40, deadline=None)


@st.composite
def jobs(draw: st.DrawFn, at: int, devices: int) -> TraceJob:
    demand = draw(st.integers(1, devices))
    falls_off = draw(st.floats(0.3, 1.0))  # a device more brings so much of what the one before brought
    rates = [sum(falls_off**k for k in range(n)) for n in range(1, demand + 1)]
    return TraceJob(
        name=f"J{at}",
        arrival_s=draw(st.integers(0, 500)),
        demand=demand,
        duration_s=draw(st.floats(1, 500)),
        priority=draw(st.sampled_from([1.0, 5.0, 10.0])),
        rates=Scaling(tuple(("", n, rate / rates[-1]) for n, rate in enumerate(rates, start=1))),
        deadline_s=draw(st.none() | st.floats(1, 2000)),
    )


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    devices = draw(st.integers(1, 8))
    drawn = tuple(draw(jobs(at, devices)) for at in range(draw(st.integers(1, 8))))
    costs = Costs(
        start_s=draw(st.sampled_from([0.0, 30.0])),
        grow_s=draw(st.sampled_from([0.0, 20.0])),
        pause_s=draw(st.sampled_from([0.0, 1.0])),
        recover_s=1.0,
    )
    return Trace(name="drawn", jobs=drawn, devices={"device": devices}, costs=costs)


@st.composite
def kinds_traces(draw: st.DrawFn) -> Trace:
    devices = draw(st.fixed_dictionaries({"k80": st.integers(1, 6), "v100": st.integers(1, 4)}))
    drawn = []
    for at in range(draw(st.integers(1, 5))):
        demand = draw(st.integers(1, sum(devices.values())))
        rates = Scaling(
            (("k80", 1, draw(st.floats(0.1, 1.0))), ("v100", 1, 1.0), ("v100", 8, draw(st.floats(1.0, 8.0))))
        )
        drawn.append(
            TraceJob(
                name=f"J{at}",
                arrival_s=draw(st.integers(0, 500)),
                demand=demand,
                duration_s=draw(st.floats(1, 3000)),
                priority=draw(st.sampled_from([1.0, 5.0])),
                rates=rates,
            )
        )
    return Trace(name="drawn", jobs=tuple(drawn), devices=devices)


def check_allocations(outcome: Outcome, trace: Trace) -> None:
    """Replay the changes: never more than there is, never more than a job demands, and every job ends once."""
    demands = {job.name: job.demand for job in trace.jobs}
    held: dict[str, dict[str, int]] = {}
    times = [change.time for change in outcome.changes]
    assert times == sorted(times)
    for change, following in zip(outcome.changes, [*times[1:], float("inf")], strict=True):
        assert change.devices <= demands[change.job]
        held[change.job] = dict(change.held)
        if following > change.time:  # the changes of one moment are one decision
            for kind, there in trace.devices.items():
                assert sum(devices.get(kind, 0) for devices in held.values()) <= there
    ends = [change.job for change in outcome.changes if change.why == "done"]
    assert sorted(ends) == sorted(demands)


@pytest.mark.parametrize("policy", ONE_KIND)
@FEW
@given(trace=traces())
def test_capacity_and_demand_are_never_exceeded_and_every_job_ends(policy: str, trace: Trace) -> None:
    outcome = simulate(trace, policy)

    check_allocations(outcome, trace)
    assert all(job.queueing_s >= 0 and job.finished_s > job.started_s for job in outcome.jobs)
    assert 0 < outcome.useful_utilisation <= outcome.utilisation + 1e-9 <= 1 + 1e-8


@pytest.mark.parametrize("policy", GAVEL)
@settings(max_examples=8, deadline=None)
@given(trace=kinds_traces())
def test_capacity_and_demand_hold_on_several_kinds(policy: str, trace: Trace) -> None:
    outcome = simulate(trace, policy)

    check_allocations(outcome, trace)
    if "mixed" not in policy and "widened" not in policy:
        assert all(len(change.held) <= 1 for change in outcome.changes)


@pytest.mark.parametrize("policy", ONE_KIND)
@FEW
@given(trace=traces(), seed=st.integers(0, 3))
def test_jobs_end_although_devices_fail(policy: str, trace: Trace, seed: int) -> None:
    losses = random_losses(trace.devices, every_s=400, repair_s=50, until_s=2000, seed=seed)

    outcome = simulate(trace, policy, losses=losses, seed=seed)

    check_allocations(outcome, trace)


@pytest.mark.parametrize("policy", ONE_KIND)
@FEW
@given(trace=traces(), seed=st.integers(0, 3))
def test_the_same_arguments_give_the_same_outcome(policy: str, trace: Trace, seed: int) -> None:
    losses = random_losses(trace.devices, every_s=400, repair_s=50, until_s=2000, seed=seed)

    first, again = (simulate(trace, policy, losses=losses, seed=seed) for _ in range(2))

    assert first == again


@st.composite
def states(draw: st.DrawFn) -> State:
    devices = draw(st.integers(1, 16))
    free, claims = devices, []
    for at in range(draw(st.integers(1, 12))):
        demand = draw(st.sampled_from([1, 2, 4, 8]))
        held = draw(st.integers(0, min(demand, free)))
        free -= held
        claims.append(
            Claim(
                name=f"J{at}",
                arrival=float(at),
                demand=demand,
                work=draw(st.floats(1, 1000)),
                rates=linear_scaling(demand),
                priority=draw(st.sampled_from([1.0, 5.0, 10.0])),
                held=bundle([("device", held)]),
                progress=Progress(0.0, 20.0, ((20.0, 1.0),) if held else ()),
            )
        )
    return State(now=20.0, capacity={"device": devices}, claims=tuple(claims))


def counts(policy: str | Policy, state: State) -> dict[str, int]:
    given = decided(find_policy(policy), state).allocations
    return {claim.name: sum(n for _, n in given.get(claim.name, ())) for claim in state.claims}


@FEW
@given(state=states())
def test_of_two_jobs_with_one_demand_the_heavier_never_gets_less_under_fair_share(state: State) -> None:
    given_out = counts("wfs", state)

    for heavy in state.claims:
        for light in state.claims:
            inside = given_out[light.name] and given_out[heavy.name]
            if inside and heavy.demand == light.demand and heavy.priority > light.priority:
                assert given_out[heavy.name] >= given_out[light.name]


@pytest.mark.parametrize("policy", ELASTIC)
@FEW
@given(state=states())
def test_no_running_job_is_suspended_by_an_elastic_policy(policy: str, state: State) -> None:
    given_out = counts(policy, state)

    assert all(given_out[claim.name] for claim in state.claims if claim.held)


@FEW
@given(state=states())
def test_fair_share_leaves_less_idle_than_any_job_could_double_with(state: State) -> None:
    given_out = counts("wfs", state)

    idle = state.devices - sum(given_out.values())
    for claim in state.claims:
        share = given_out[claim.name]
        assert not share or 2 * share > claim.demand or share > idle


@FEW
@given(state=states())
def test_our_policy_leaves_nothing_idle_that_somebody_could_use(state: State) -> None:
    given_out = counts("elastic", state)

    idle = state.devices - sum(given_out.values())
    assert not idle or all(given_out[claim.name] == claim.demand for claim in state.claims)


@FEW
@given(state=states(), patience=st.floats(0, 5))
def test_who_lost_patience_goes_first_under_our_policy(state: State, patience: float) -> None:
    from vfnb.planning.scheduling.elastic import Taste, elastic

    waiting = [claim for claim in state.claims if not claim.held]
    assume(waiting)
    policy = Policy(name="impatient", decide=elastic(Taste(patience_s=patience)), elastic=True)

    given_out = counts(policy, state)

    # All of these arrived 8 seconds ago or more: they come in by arrival alone, so nobody is overtaken for ever.
    inside = [bool(given_out[claim.name]) for claim in waiting]
    assert inside == sorted(inside, reverse=True)


def test_our_policy_starves_nobody_where_short_and_urgent_jobs_keep_coming() -> None:
    long = TraceJob(name="long", arrival_s=50.0, demand=1, duration_s=5000.0)
    short = [
        TraceJob(name=f"S{at}", arrival_s=30.0 * at, demand=1, duration_s=60.0, priority=10.0) for at in range(400)
    ]

    outcome = simulate(Trace(name="flood", jobs=(long, *short), devices={"device": 2}), "elastic")

    # Two devices can do what comes, and no more: without patience the long job would wait for the last of them.
    assert outcome.jobs[0].queueing_s < 1800 + 2 * 60


@FEW
@given(state=states())
def test_backfilling_never_delays_the_first_that_does_not_fit(state: State) -> None:
    waiting = sorted((claim for claim in state.claims if not claim.held), key=lambda claim: -claim.priority)
    plain, filled = counts("priority", state), counts("priority-backfill", state)

    assert all(filled[name] >= count for name, count in plain.items())
    blocked = [claim for claim in waiting if not plain[claim.name] and claim.demand <= state.devices]
    if not blocked:
        return
    running = [claim for claim in state.claims if filled[claim.name]]

    def free_at(time: float, among: dict[str, int]) -> int:
        ends = {
            claim.name: claim.progress.reaches(claim.work) if claim.held else state.now + claim.work
            for claim in running
        }
        return state.devices - sum(count for name, count in among.items() if count and ends[name] > time)

    for moment in [state.now, *(claim.progress.reaches(claim.work) for claim in running if claim.held)]:
        if free_at(moment, plain) >= blocked[0].demand:
            assert free_at(moment, filled) >= blocked[0].demand
