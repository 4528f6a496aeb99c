"""Elastic weighted fair share, as VirtualFlow's Algorithm 1 has it: shares are powers of two or a whole demand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vfnb.planning.scheduling.state import Claim, Decide, Decision, State, from_counts

Weigh = Callable[[Claim, State], float]  # a job's weight, above 0


@dataclass(frozen=True, slots=True)
class Weighted:
    """A job with its weight.

    Args:
        name: The job's name.
        demand: The most devices it can use.
        weight: Its weight, above 0.
    """

    name: str
    demand: int
    weight: float


def shares(jobs: Sequence[Weighted], devices: int) -> dict[str, int]:
    """Share devices by weight; every share is a power of two or the job's demand.

    With no more jobs than devices everybody gets at least one.

    Args:
        jobs: By falling weight, equals in the order of arrival.
        devices: How many there are.

    Returns:
        The share of each job.
    """
    given: dict[str, int] = {}
    free, left = devices, list(jobs)
    while left:
        wanted = _proportional(left, free)
        capped = [job for job in left if wanted[job.name] >= job.demand]
        settled = capped or left
        for job in settled:
            given[job.name] = min(wanted[job.name], job.demand)
            free -= given[job.name]
        if not capped:
            break
        left = [job for job in left if wanted[job.name] < job.demand]
    for job in jobs:  # what rounding left over
        while given[job.name] <= free and 2 * given[job.name] <= job.demand:
            free -= given[job.name]
            given[job.name] *= 2
    return given


def _proportional(jobs: Sequence[Weighted], free: int) -> dict[str, int]:
    """Round each job's proportional share down to a power of two, at least 1."""
    total = sum(job.weight for job in jobs)
    wanted = {job.name: 1 << (max(1, int(free * job.weight / total)).bit_length() - 1) for job in jobs}
    over = sum(wanted.values()) - free
    for job in reversed(jobs):  # shares raised to 1 can overshoot: the lightest give back first
        while over > 0 and wanted[job.name] > 1:
            wanted[job.name] //= 2
            over -= wanted[job.name]
    return wanted


def static(claim: Claim, _state: State) -> float:
    """Weigh a job by its priority.

    Args:
        claim: The job.
        _state: The cluster, whatever it is like.

    Returns:
        The weight.
    """
    return claim.priority


def shortest(claim: Claim, state: State) -> float:
    """Weigh a job by how short it is in all (shortest job first).

    Args:
        claim: The job.
        state: The cluster.

    Returns:
        The weight.
    """
    return 1.0 / max(1e-9, _seconds(claim, state, claim.work))


def shortest_remaining(claim: Claim, state: State) -> float:
    """Weigh a job by how little is left of it (shortest remaining time first).

    Args:
        claim: The job.
        state: The cluster.

    Returns:
        The weight.
    """
    return 1.0 / max(1e-9, _seconds(claim, state, claim.left(state.now)))


def earliest_deadline(claim: Claim, state: State) -> float:
    """Weigh a job by how soon it is due; a job without a deadline is due in a week.

    Args:
        claim: The job.
        state: The cluster.

    Returns:
        The weight.
    """
    due = 7 * 86400.0 if claim.deadline is None else claim.deadline - state.now
    return 1.0 / max(1.0, due)


def _seconds(claim: Claim, state: State, work: float) -> float:
    (kind,) = state.capacity
    rate = claim.rates(((kind, claim.demand),))
    return work / rate if rate > 0 else float("inf")


def fair_share(weigh: Weigh = static) -> Decide:
    """Make the policy's function for a way to weigh jobs.

    Args:
        weigh: A job's weight.

    Returns:
        The function.
    """

    def decide(state: State) -> Decision:
        weighted = [(claim, Weighted(claim.name, claim.demand, weigh(claim, state))) for claim in state.claims]
        weighted.sort(key=lambda pair: -pair[1].weight)
        running = [job for claim, job in weighted if claim.held]
        queue = [job for claim, job in weighted if not claim.held]
        return from_counts(state, _admitted(running, queue, state.devices))

    return decide


def _admitted(running: list[Weighted], queue: list[Weighted], devices: int) -> dict[str, int]:
    """Let jobs in from the queue until one would take from a heavier job that runs."""
    inside = list(running)
    fair = shares(inside, devices)
    for candidate in queue:
        if len(inside) >= devices:
            break
        at = next((at for at, job in enumerate(inside) if job.weight < candidate.weight), len(inside))
        together = [*inside[:at], candidate, *inside[at:]]
        possible = shares(together, devices)
        if any(job.weight > candidate.weight and possible[job.name] < fair[job.name] for job in running):
            break
        inside, fair = together, possible
    return fair
