"""Policies with a queue and fixed sizes: first come first served, static priority, and priority with backfilling."""

from collections.abc import Iterable

from vfnb.planning.scheduling.rates import devices_in
from vfnb.planning.scheduling.state import Claim, Decision, State, from_counts


def fifo(state: State) -> Decision:
    """Start jobs in the order of arrival, each with its whole demand; stop at the first that does not fit.

    Args:
        state: The cluster.

    Returns:
        The decision.
    """
    return _started(state, _waiting(state))


def priority(state: State) -> Decision:
    """Start jobs by falling priority, each with its whole demand; stop at the first that does not fit.

    Args:
        state: The cluster.

    Returns:
        The decision.
    """
    return _started(state, _by_priority(state))


def priority_backfill(state: State) -> Decision:
    """Start jobs by falling priority, and let those behind one that does not fit go ahead where they do not delay it.

    The first that does not fit gets a reservation: the moment at which, by the known lengths, enough devices
    are free. Later ones start now if they end before that moment, or leave enough devices for it.

    Args:
        state: The cluster.

    Returns:
        The decision.
    """
    counts, queue = _running(state), _by_priority(state)
    free = state.devices - sum(counts.values())
    while queue and queue[0].demand <= free:
        head = queue.pop(0)
        counts[head.name] = head.demand
        free -= head.demand
    if not queue or not free:
        return from_counts(state, counts)
    moment, spare = _reservation(state, counts, queue[0].demand, free)
    for claim in queue[1:]:
        if claim.demand > free:
            continue
        ends_before = state.now + _whole_length(claim, state) <= moment
        if ends_before or claim.demand <= spare:
            counts[claim.name] = claim.demand
            free -= claim.demand
            spare -= 0 if ends_before else claim.demand
        if not free:
            break
    return from_counts(state, counts)


def _running(state: State) -> dict[str, int]:
    return {claim.name: devices_in(claim.held) for claim in state.claims if claim.held}


def _waiting(state: State) -> list[Claim]:
    return [claim for claim in state.claims if not claim.held]


def _by_priority(state: State) -> list[Claim]:
    return sorted(_waiting(state), key=lambda claim: -claim.priority)  # stable: equals in the order of arrival


def _started(state: State, queue: Iterable[Claim]) -> Decision:
    counts = _running(state)
    free = state.devices - sum(counts.values())
    for claim in queue:
        if claim.demand > free:
            break
        counts[claim.name] = claim.demand
        free -= claim.demand
    return from_counts(state, counts)


def _whole_length(claim: Claim, state: State) -> float:
    (kind,) = state.capacity
    rate = claim.rates(((kind, claim.demand),))
    return state.costs.start_s + claim.left(state.now) / rate if rate > 0 else float("inf")


def _reservation(state: State, counts: dict[str, int], demand: int, free: int) -> tuple[float, int]:
    """Tell when so many devices will be free, and how many are then left over."""
    ends = sorted(
        (
            claim.progress.reaches(claim.work) if claim.held else state.now + _whole_length(claim, state),
            counts[claim.name],
        )
        for claim in state.claims
        if claim.name in counts
    )
    for end, count in ends:
        free += count
        if free >= demand:
            return end, free - demand
    return float("inf"), 0  # devices were lost: until they are back the job fits nowhere, and nobody waits for it
