"""Rounds: shares of time become who has which devices now, as Gavel's mechanism and its heterogeneous extension do."""

from collections.abc import Mapping, Sequence

from vfnb.planning.scheduling.gavel import Objective
from vfnb.planning.scheduling.program import Columns, Shares, one_kind
from vfnb.planning.scheduling.rates import Bundle, bundle, devices_in
from vfnb.planning.scheduling.state import Claim, Decide, Decision, State


def in_rounds(objective: Objective, columns: Columns, *, mixes: bool) -> Decide:
    """Make a policy's function of an objective.

    In each round the pair of job and set that is furthest behind its share comes first, each job at most once, while
    its devices are free. Devices that are then idle go to jobs that have none, each on the kind it is fastest on of
    those that have enough; with `mixes`, then to running jobs, next to those they have, where that makes them faster.

    Args:
        objective: Gives shares of time.
        columns: The sets of devices that a job may have.
        mixes: Whether devices of two kinds may work on one job in one round.

    Returns:
        The function.
    """

    def decide(state: State) -> Decision:
        shares = objective(state, columns)
        free = dict(state.capacity)
        given: dict[str, Bundle] = {}
        for claim, devices in _by_need(state, shares):
            if claim.name not in given and _fits(devices, free):
                _take(given, free, claim, devices)
        for claim in sorted(state.claims, key=lambda claim: -claim.priority):
            if claim.name not in given:
                _place_idle(given, free, claim, one_kind(claim, state.capacity))
        if mixes:
            for claim in state.claims:
                _widen(given, free, claim)
        return Decision(allocations=given, objective=shares.objective, failure=shares.failure)

    return decide


def _by_need(state: State, shares: Shares) -> list[tuple[Claim, Bundle]]:
    """Order pairs by how far they are behind: share over time received; those that never ran come first."""
    claims = {claim.name: claim for claim in state.claims}

    def need(item: tuple[tuple[str, Bundle], float]) -> tuple[float, float]:
        (name, devices), share = item
        received = claims[name].received.get(devices, 0.0)
        return -share / received if received else float("-inf"), -share

    return [(claims[name], devices) for (name, devices), _ in sorted(shares.of.items(), key=need)]


def _fits(devices: Bundle, free: Mapping[str, int]) -> bool:
    return all(free.get(kind, 0) >= count for kind, count in devices)


def _take(given: dict[str, Bundle], free: dict[str, int], claim: Claim, devices: Bundle) -> None:
    for kind, count in given.pop(claim.name, ()):
        free[kind] += count
    given[claim.name] = devices
    for kind, count in devices:
        free[kind] -= count


def _place_idle(given: dict[str, Bundle], free: dict[str, int], claim: Claim, sets: Sequence[Bundle]) -> None:
    best = max((each for each in sets if _fits(each, free)), key=claim.rates, default=())
    if best and claim.rates(best) > 0:
        _take(given, free, claim, best)


def _widen(given: dict[str, Bundle], free: dict[str, int], claim: Claim) -> None:
    """Add idle devices of one other kind to a job of one kind, as many as its demand leaves, if it gets faster."""
    has = given.get(claim.name, ())
    if len(has) != 1:
        return
    room = claim.demand - devices_in(has)
    wider = [
        bundle((*has, (kind, min(count, room))))
        for kind, count in free.items()
        if kind != has[0][0] and min(count, room) > 0
    ]
    best = max(wider, key=claim.rates, default=())
    if best and claim.rates(best) > claim.rates(has):
        _take(given, free, claim, best)
