"""Queues with fixed sizes: who starts, and who waits."""

from vfnb.planning import Claim, Progress, State, decided, find_policy, linear_scaling


def claim(name: str, demand: int, *, priority: float = 1.0, work: float = 100.0, held: int = 0) -> Claim:
    return Claim(
        name=name,
        arrival=0.0,
        demand=demand,
        work=work,
        rates=linear_scaling(demand),
        priority=priority,
        held=(("device", held),) if held else (),
        progress=Progress(0.0, 0.0, ((0.0, 1.0),) if held else ()),
    )


def started(policy: str, devices: int, *claims: Claim) -> set[str]:
    decision = decided(find_policy(policy), State(now=0.0, capacity={"device": devices}, claims=claims))
    assert all(decision.allocations[each.name] == each.held for each in claims if each.held)
    return {each.name for each in claims if each.name in decision.allocations and not each.held}


def test_first_come_is_first_served_and_one_that_does_not_fit_holds_up_the_rest() -> None:
    assert started("fifo", 4, claim("a", 2), claim("wide", 4), claim("c", 1, priority=9)) == {"a"}


def test_priority_comes_first_and_is_held_up_as_well() -> None:
    jobs = (claim("light", 1), claim("heavy", 2, priority=5), claim("wide", 4, priority=3))

    assert started("priority", 4, *jobs) == {"heavy"}


def test_backfilling_starts_what_ends_before_the_wide_job_can_start() -> None:
    running = claim("running", 3, held=3, work=100.0)
    wide, quick, slow = claim("wide", 4, priority=5), claim("quick", 1, work=100.0), claim("slow", 1, work=101.0)

    assert started("priority-backfill", 4, running, wide, slow) == set()
    assert started("priority-backfill", 4, running, wide, quick) == {"quick"}


def test_backfilling_starts_what_leaves_enough_for_the_wide_job() -> None:
    running = claim("running", 3, held=3, work=100.0)
    wide = claim("wide", 3, priority=5)

    assert started("priority-backfill", 4, running, wide, claim("a", 1, work=1e6), claim("b", 1)) == {"a"}


def test_backfilling_counts_what_starts_now_among_those_that_will_end() -> None:
    first, wide, narrow = (
        claim("first", 3, priority=9, work=50.0),
        claim("wide", 4, priority=5),
        claim("narrow", 1, work=60.0),
    )

    assert started("priority-backfill", 4, first, wide, narrow) == {"first"}
