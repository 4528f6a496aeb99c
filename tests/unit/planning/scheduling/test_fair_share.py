"""Shares follow Algorithm 1."""

import pytest

from vfnb.planning import Claim, State, decided, find_policy
from vfnb.planning.scheduling import Weighted, linear_scaling, shares
from vfnb.planning.scheduling.fair_share import earliest_deadline, shortest, shortest_remaining, static
from vfnb.planning.scheduling.state import Progress


def claim(name: str, **given: object) -> Claim:
    demand = int(given.pop("demand", 4))  # type: ignore[call-overload]
    return Claim(
        **{"name": name, "arrival": 0.0, "demand": demand, "work": 100.0, "rates": linear_scaling(demand)} | given
    )  # type: ignore[arg-type]


def decision(devices: int, *claims: Claim) -> dict[str, int]:
    state = State(now=0.0, capacity={"device": devices}, claims=claims)
    return {name: held[0][1] for name, held in decided(find_policy("wfs"), state).allocations.items()}


@pytest.mark.parametrize(
    ("jobs", "devices", "expected"),
    [
        ([("J0", 4, 1)], 4, {"J0": 4}),
        ([("J1", 2, 5), ("J0", 4, 1)], 4, {"J0": 2, "J1": 2}),
        ([("J2", 4, 10), ("J1", 2, 5), ("J0", 4, 1)], 4, {"J0": 1, "J1": 1, "J2": 2}),
        ([("J2", 4, 10), ("J1", 2, 5)], 4, {"J1": 2, "J2": 2}),
        ([("J2", 4, 10)], 4, {"J2": 4}),
        # 7.2, 0.7 and 0.07 of 8 are 4, 1 and 1; what is left doubles the others, for a 4 needs 4 more
        ([("a", 8, 100), ("b", 8, 10), ("c", 8, 1)], 8, {"a": 4, "b": 2, "c": 2}),
        # 3.6, 0.36, 0.04 of 4: raising two to 1 gives 2 + 1 + 1
        ([("a", 8, 100), ("b", 8, 10), ("c", 8, 1)], 4, {"a": 2, "b": 1, "c": 1}),
        # 1.85, 1.85, 0.18, 0.09 of 4 are 1 each
        ([("a", 8, 20), ("b", 8, 20), ("c", 8, 2), ("d", 8, 1)], 4, {"a": 1, "b": 1, "c": 1, "d": 1}),
        # a whole demand that is no power of two
        ([("a", 3, 10), ("b", 8, 10)], 8, {"a": 3, "b": 4}),
    ],
)
def test_shares_are_these(jobs: list[tuple[str, int, float]], devices: int, expected: dict[str, int]) -> None:
    assert shares([Weighted(*job) for job in jobs], devices) == expected


def test_shares_raised_to_one_are_paid_for_by_the_lightest_that_has_more() -> None:
    light = [Weighted(f"light{at}", 16, 1) for at in range(7)]

    # 11.9, 3.5 and seven times 0.08 of 16 round to 8, 2 and 1: one too many, and the second gives it back.
    given = shares([Weighted("first", 16, 1000), Weighted("second", 16, 300), *light], 16)

    assert given == {"first": 8, "second": 1} | {job.name: 1 for job in light}


def test_a_light_job_waits_where_it_would_take_from_a_heavier_one() -> None:
    heavy = claim("heavy", priority=1.0, held=(("device", 4),))
    light = claim("light", priority=0.5)

    assert decision(4, heavy, light) == {"heavy": 4}


def test_a_heavy_job_takes_from_a_lighter_one_at_once() -> None:
    light = claim("light", priority=1.0, held=(("device", 4),))
    heavy = claim("heavy", priority=10.0)

    # 3.6 and 0.36 of 4 are 2 and 1; the one that is left doubles the light job.
    assert decision(4, light, heavy) == {"light": 2, "heavy": 2}


def test_a_job_waits_where_every_device_has_its_job() -> None:
    running = [claim(f"J{at}", priority=1.0, held=(("device", 1),)) for at in range(2)]

    assert decision(2, *running, claim("late", priority=10.0)) == {"J0": 1, "J1": 1}


def test_weights_follow_length_rest_and_deadline() -> None:
    state = State(now=50.0, capacity={"device": 4}, claims=())
    early = claim("early", work=100.0, deadline=100.0, progress=Progress(90.0, 50.0))
    late = claim("late", work=50.0, deadline=1000.0, progress=Progress(0.0, 50.0))

    assert static(early, state) == static(late, state)
    assert shortest(late, state) > shortest(early, state)
    assert shortest_remaining(early, state) > shortest_remaining(late, state)
    assert earliest_deadline(early, state) > earliest_deadline(late, state)
    assert earliest_deadline(claim("whenever"), state) < earliest_deadline(late, state)
