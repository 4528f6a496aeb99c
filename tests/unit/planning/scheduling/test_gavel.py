"""Gavel's programs against a reference that looks at every vertex, and what becomes of them in rounds."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vfnb.planning import Claim, Scaling, State, decided, find_policy
from vfnb.planning.scheduling import gavel
from vfnb.planning.scheduling.program import mixed_kinds, one_kind, program

TOLERANCE = 2e-3  # what choosing among optima by the total may cost


def claim(name: str, demand: int, k80: float, v100: float, **rest: float) -> Claim:
    rates = Scaling((("k80", 1, k80), ("k80", 8, 8 * k80), ("v100", 1, v100), ("v100", 8, 8 * v100)))
    return Claim(name=name, arrival=0.0, demand=demand, work=rest.pop("work", 100.0), rates=rates, **rest)


def state(*claims: Claim, k80: int = 2, v100: int = 1, **rest: object) -> State:
    return State(now=0.0, capacity={"k80": k80, "v100": v100}, claims=claims, **rest)  # type: ignore[arg-type]


def highest_level(given_state: State, factor: dict[str, float], columns=one_kind) -> float:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Maximise z with factor[m] * rate of m >= z: try every vertex of the feasible set."""
    laid = program(given_state, columns)
    cells, n = laid.cells, len(laid.cells)
    rows, bounds = [], []
    for kind, there in given_state.capacity.items():
        rows.append([dict(devices).get(kind, 0) for _, devices in cells] + [0.0])
        bounds.append(there)
    for each in given_state.claims:
        rows.append([float(owner is each) for owner, _ in cells] + [0.0])
        bounds.append(1)
        worth = [rate * factor[each.name] * (owner is each) for (owner, _), rate in zip(cells, laid.rates, strict=True)]
        rows.append([*(-value for value in worth), 1.0])
        bounds.append(0)
    rows.extend(-np.eye(n + 1))
    bounds.extend([0] * (n + 1))
    A, b = np.array(rows, dtype=float), np.array(bounds, dtype=float)
    best = 0.0
    for active in combinations(range(len(A)), n + 1):
        try:
            vertex = np.linalg.solve(A[list(active)], b[list(active)])
        except np.linalg.LinAlgError:
            continue
        if np.all(A @ vertex <= b + 1e-7):
            best = max(best, vertex[-1])
    return best


drawn = st.builds(
    claim,
    name=st.just("?"),
    demand=st.integers(1, 3),
    k80=st.floats(0.1, 1.0),
    v100=st.floats(0.5, 4.0),
    work=st.floats(10.0, 1000.0),
    priority=st.sampled_from([1.0, 5.0]),
)


@settings(max_examples=25, deadline=None)
@given(first=drawn, second=drawn)
def test_max_min_fairness_reaches_the_reference(first: Claim, second: Claim) -> None:
    seen = state(*(_named(each, at) for at, each in enumerate((first, second))))
    even = gavel._even_rates(seen)
    factor = {each.name: each.demand / (each.priority * even[each.name]) for each in seen.claims}

    found = gavel.max_min(seen, one_kind)

    assert not found.failure
    assert found.objective == pytest.approx(highest_level(seen, factor), rel=TOLERANCE, abs=TOLERANCE)


@settings(max_examples=25, deadline=None)
@given(first=drawn, second=drawn)
def test_makespan_reaches_the_reference(first: Claim, second: Claim) -> None:
    seen = state(*(_named(each, at) for at, each in enumerate((first, second))))

    found = gavel.makespan(seen, one_kind)

    assert found.objective is not None
    expected = 1 / highest_level(seen, {each.name: 1 / each.work for each in seen.claims})
    assert found.objective == pytest.approx(expected, rel=TOLERANCE)


def _named(each: Claim, at: int) -> Claim:
    return replace(each, name=f"J{at}")


def test_finish_times_are_balanced_at_the_least_ratio_that_can_be() -> None:
    alike = state(claim("a", 1, 1.0, 1.0), claim("b", 1, 1.0, 1.0), k80=1, v100=1)

    found = gavel.finish_time(alike, one_kind)

    # On an even share of two equal devices each has one all the time: nothing can be better for both.
    assert found.objective == pytest.approx(1.0, rel=2e-3)


def test_the_least_ratio_is_the_highest_level_where_nobody_waited_yet() -> None:
    seen = state(claim("a", 1, 0.2, 1.0), claim("b", 1, 0.9, 1.0), k80=1, v100=1)
    even = gavel._even_rates(seen)

    found = gavel.finish_time(seen, one_kind)

    assert found.objective == pytest.approx(
        1 / highest_level(seen, {name: 1 / rate for name, rate in even.items()}), rel=3e-3
    )


def test_cost_prefers_the_cheaper_progress_and_keeps_deadlines() -> None:
    job = claim("a", 1, 0.5, 1.0, work=100.0)
    due = claim("a", 1, 0.5, 1.0, work=100.0, deadline=120.0)
    prices = {"k80": 1.0, "v100": 3.0}

    free = gavel.cost(state(job, prices=prices), one_kind)
    kept = gavel.cost(state(due, prices=prices), one_kind)

    assert free.of == {("a", (("k80", 1),)): pytest.approx(1.0)}
    assert sum(share * job.rates(devices) for (_, devices), share in kept.of.items()) >= 100 / 120 - 1e-6


@pytest.mark.parametrize("deadline", [50.0, -1.0])
def test_deadlines_that_cannot_be_kept_are_said_in_the_answer(deadline: float) -> None:
    found = gavel.cost(state(claim("a", 1, 0.5, 1.0, deadline=deadline)), one_kind)

    assert found.failure == "not all deadlines can be kept; they were left out"
    assert found.of


def test_mixtures_never_lower_the_optimum() -> None:
    seen = state(claim("a", 4, 0.3, 1.0), claim("b", 3, 0.9, 1.0), k80=4, v100=2)

    for objective, better in ((gavel.max_min, 1), (gavel.makespan, -1)):
        plain, with_mixtures = objective(seen, one_kind).objective, objective(seen, mixed_kinds).objective
        assert plain is not None
        assert with_mixtures is not None
        assert better * with_mixtures >= better * plain * (1 - better * TOLERANCE)


def test_mixed_sets_keep_to_the_demand_and_to_two_kinds() -> None:
    sets = mixed_kinds(claim("a", 6, 1.0, 1.0), {"k80": 4, "p100": 4, "v100": 2})

    assert (("k80", 4), ("v100", 2)) in sets
    assert all(sum(count for _, count in devices) <= 6 and len(devices) <= 2 for devices in sets)
    assert len(set(sets)) == len(sets)


def test_a_round_goes_to_whom_is_furthest_behind() -> None:
    had, waited = (claim(name, 1, 0.0, 1.0) for name in ("had", "waited"))
    had = replace(had, received={(("v100", 1),): 360.0})

    decision = decided(find_policy("gavel-max-min"), state(had, waited))

    assert decision.allocations == {"waited": (("v100", 1),)}


@pytest.mark.parametrize(("a", "b", "next_one"), [(720.0, 360.0, "b"), (360.0, 720.0, "a")])
def test_of_equal_shares_the_one_that_received_less_comes_next(a: float, b: float, next_one: str) -> None:
    device = (("v100", 1),)
    jobs = [replace(claim(name, 1, 0.0, 1.0), received={device: had}) for name, had in (("a", a), ("b", b))]

    assert decided(find_policy("gavel-max-min"), state(*jobs)).allocations == {next_one: device}


def test_idle_devices_of_a_second_kind_help_only_where_the_policy_mixes() -> None:
    seen = state(claim("a", 3, 0.5, 1.0))

    plain, widened = (
        decided(find_policy(name), seen).allocations for name in ("gavel-makespan", "gavel-makespan-widened")
    )

    assert all(len(devices) == 1 for devices in plain.values())
    assert widened == {"a": (("k80", 2), ("v100", 1))}
