"""Our own policy: where devices go."""

from dataclasses import replace

from vfnb.planning import Claim, Costs, Policy, Progress, Scaling, State, decided, find_policy, linear_scaling
from vfnb.planning.scheduling.elastic import Taste, elastic


def claim(name: str, demand: int, *, work: float = 1000.0, held: int = 0, rates: Scaling | None = None) -> Claim:
    return Claim(
        name=name,
        arrival=0.0,
        demand=demand,
        work=work,
        rates=rates or linear_scaling(demand),
        held=(("device", held),) if held else (),
        progress=Progress(0.0, 0.0, ((0.0, held / demand),) if held else ()),
    )


def counts(state: State, taste: Taste | None = None) -> dict[str, int]:
    policy = find_policy("elastic") if taste is None else Policy(name="e", decide=elastic(taste), elastic=True)
    return {name: held[0][1] for name, held in decided(policy, state).allocations.items()}


def state(devices: int, *claims: Claim, costs: Costs | None = None) -> State:
    return State(now=0.0, capacity={"device": devices}, claims=claims, costs=costs or Costs())


def test_devices_go_where_they_help() -> None:
    flat = claim("flat", 8, rates=Scaling((("", 1, 0.9), ("", 8, 1.0))))

    assert counts(state(8, flat, claim("steep", 8))) == {"flat": 1, "steep": 7}


def test_devices_that_would_slow_a_job_stay_idle() -> None:
    worse = claim("worse", 4, rates=Scaling((("", 1, 0.5), ("", 2, 1.0), ("", 4, 0.8))))

    assert counts(state(4, worse)) == {"worse": 2}


def test_a_plateau_is_crossed_where_what_is_behind_it_is_worth_it() -> None:
    stepped = claim("stepped", 4, rates=Scaling((("", 1, 0.25), ("", 3, 0.25), ("", 4, 1.0))))

    assert counts(state(4, stepped)) == {"stepped": 4}


def test_a_share_may_be_any_whole_number() -> None:
    given = counts(state(7, claim("a", 8), claim("b", 8)), Taste(short=0.0))

    assert sorted(given.values()) == [1, 6]
    assert sum(counts(state(7, claim("a", 3), claim("b", 8))).values()) == 7


def test_a_short_rest_counts_more_where_the_taste_says_so() -> None:
    long, short = claim("long", 8, work=2000.0), claim("short", 8, work=1000.0)

    assert counts(state(8, long, short), Taste(short=1.0)) == {"long": 1, "short": 7}


def test_priority_counts_as_far_as_the_taste_says_so() -> None:
    light, heavy = claim("light", 8, work=900.0), replace(claim("heavy", 8), priority=10.0)

    assert counts(state(8, light, heavy), Taste(urgent=1.0)) == {"light": 1, "heavy": 7}
    assert counts(state(8, light, heavy), Taste(urgent=0.0)) == {"light": 7, "heavy": 1}


def test_a_job_about_to_end_does_not_grow() -> None:
    ending, other = claim("ending", 4, work=20.0, held=2), claim("other", 4, held=2)
    costly = Costs(grow_s=50.0)

    assert counts(state(8, ending, other, costs=costly)) == {"ending": 2, "other": 4}
    assert counts(state(8, ending, other)) == {"ending": 4, "other": 4}


def test_what_a_growth_would_have_taken_goes_back_to_whom_it_would_have_been_taken_from() -> None:
    ending, other = claim("ending", 8, work=15.0, held=2), claim("other", 8, held=6)

    assert counts(state(8, ending, other, costs=Costs(grow_s=50.0))) == {"ending": 2, "other": 6}
