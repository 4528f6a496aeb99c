"""Gavel's four objectives, each a linear program over shares of time.

Max-min fairness and makespan take the highest common level first; what it leaves of the devices goes to the most total
progress, which the published programs leave to chance.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from vfnb.planning.scheduling.program import Columns, Program, Shares, one_kind, program
from vfnb.planning.scheduling.state import State

Objective = Callable[[State, Columns], Shares]

_REST = 1e-4  # how little the total counts beside the level: enough to choose among optima, too little to move them
_TOLERANCE = 1e-3  # of the bisection for finish-time fairness


def max_min(state: State, columns: Columns) -> Shares:
    """Maximise the lowest weighted share: a job's rate over its rate under an even split, over its weight.

    Args:
        state: The cluster.
        columns: The sets of devices that a job may have.

    Returns:
        The shares of time.
    """
    laid = program(state, columns)
    even = _even_rates(state)
    floors = []
    for claim in state.claims:
        scale = claim.demand / (claim.priority * even[claim.name])
        floors.append(([(at, rate * scale) for at, rate in laid.of_job(claim)], 0.0, 1.0))
    return laid.maximise(_total(laid, even), 1.0, floors)


def makespan(state: State, columns: Columns) -> Shares:
    """Minimise the time until all jobs are done: maximise 1/M so that each job's rate is at least its rest over M.

    Args:
        state: The cluster.
        columns: The sets of devices that a job may have.

    Returns:
        The shares of time, with that time in seconds as their objective.
    """
    laid = program(state, columns)
    lefts = {claim.name: max(claim.left(state.now), 1e-9) for claim in state.claims}
    longest = max(lefts.values())  # z is in units of 1 / longest: numbers near 1 for the solver
    floors = [(laid.of_job(claim), 0.0, lefts[claim.name] / longest) for claim in state.claims]
    found = laid.maximise(_total(laid, _even_rates(state)), 1.0, floors)
    return replace(found, objective=longest / found.objective) if found.objective else found


def finish_time(state: State, columns: Columns) -> Shares:
    """Minimise the worst ratio of a job's finish time to what it would be on an even share of its own.

    Args:
        state: The cluster.
        columns: The sets of devices that a job may have.

    Returns:
        The shares of time.
    """
    laid = program(state, columns)
    even = _even_rates(state)

    def feasible(ratio: float) -> Shares:
        floors = []
        for claim in state.claims:
            elapsed, left = state.now - claim.arrival, max(claim.left(state.now), 1e-9)
            allowed = ratio * (elapsed + left / even[claim.name]) - elapsed
            if allowed <= 0:
                return Shares(failure=f"a ratio of {ratio} is past for {claim.name}")
            floors.append((laid.of_job(claim), left / allowed, 0.0))
        return laid.maximise(_total(laid, even), 0.0, floors)

    high = 1.0
    found = feasible(high)
    while found.failure and high < 1e6:
        high *= 2
        found = feasible(high)
    low = 0.0
    while not found.failure and high - low > _TOLERANCE * high:
        middle = (low + high) / 2
        tried = feasible(middle)
        low, high, found = (middle, high, found) if tried.failure else (low, middle, tried)
    return found if found.failure else Shares(of=found.of, objective=high)


def cost(state: State, columns: Columns) -> Shares:
    """Maximise progress for money, with every deadline kept; without prices all devices cost the same.

    Args:
        state: The cluster.
        columns: The sets of devices that a job may have.

    Returns:
        The shares of time; without the deadlines, and with a failure that says so, where they cannot all be kept.
    """
    laid = program(state, columns)
    gain = [
        rate / even / sum(count * state.prices.get(kind, 1.0) for kind, count in devices)
        for (_, devices), rate, even in zip(
            laid.cells, laid.rates, _even_of_cells(laid, _even_rates(state)), strict=True
        )
    ]
    due = [(claim, claim.deadline) for claim in state.claims if claim.deadline is not None]
    if all(deadline > state.now for _, deadline in due):
        floors = [(laid.of_job(claim), claim.left(state.now) / (deadline - state.now), 0.0) for claim, deadline in due]
        kept = laid.maximise(gain, 0.0, floors)
        if not kept.failure:
            return kept
    rest = laid.maximise(gain)
    late = "not all deadlines can be kept; they were left out"
    return Shares(of=rest.of, objective=rest.objective, failure=rest.failure or late)


OBJECTIVES: Mapping[str, Objective] = {
    "max-min": max_min,
    "makespan": makespan,
    "finish-time": finish_time,
    "cost": cost,
}


def _even_rates(state: State) -> dict[str, float]:
    """Tell each job's rate where every kind's time is split evenly over the jobs, one kind at a time."""
    jobs = len(state.claims)
    rates = {}
    for claim in state.claims:
        sets = one_kind(claim, state.capacity)
        times = [there / (jobs * devices[0][1]) for devices, there in zip(sets, state.capacity.values(), strict=True)]
        whole = max(1.0, sum(times))  # nobody has more time than there is
        rates[claim.name] = max(
            1e-12, sum(claim.rates(of) * time / whole for of, time in zip(sets, times, strict=True))
        )
    return rates


def _even_of_cells(laid: Program, even: Mapping[str, float]) -> list[float]:
    return [even[claim.name] for claim, _ in laid.cells]


def _total(laid: Program, even: Mapping[str, float]) -> list[float]:
    jobs = max(1, len(laid.state.claims))
    relative = (rate / of for rate, of in zip(laid.rates, _even_of_cells(laid, even), strict=True))
    return [_REST * each / jobs for each in relative]
