"""Our own policy: every job gets a device, and the others go where they bring jobs to their end the fastest."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from heapq import heapify, heappop, heapreplace

from vfnb.planning.scheduling.rates import RateOf, devices_in
from vfnb.planning.scheduling.state import Claim, Decide, Decision, State, from_counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Taste:
    """The numbers of the policy; the defaults were tuned on seeds that no result is reported on.

    Args:
        short: How much a short rest counts: 0 is the most work a second, 1 the most jobs a second.
        urgent: How much priority counts: 0 is not at all, 1 in proportion.
        worth: A job grows only if that brings its end forward by so many times what the growth costs.
        patience_s: A job that waited longer goes before all that waited less.
    """

    short: float = 0.25
    urgent: float = 0.25
    worth: float = 1.0
    patience_s: float = 1800.0


def elastic(taste: Taste | None = None) -> Decide:
    """Make the policy's function.

    Whoever runs goes on running, on at least one device. Waiting jobs come in while there are devices for one each:
    first those that lost patience, in the order of arrival, then by how soon they end and how urgent they are. The
    other devices go one by one to the job whose end it brings forward most. A job whose rate does not grow with one
    device more is offered two, and so on; a change that costs more than it brings is left out.

    Args:
        taste: Its numbers.

    Returns:
        The function.
    """
    numbers = taste or Taste()

    def decide(state: State) -> Decision:
        (kind,) = state.capacity
        inside = _inside(state, kind, numbers)
        curves = {claim.name: _curve(claim.rates, kind, min(claim.demand, state.devices)) for claim in inside}
        values = {claim.name: _value(claim, state, curves[claim.name], numbers) for claim in inside}
        return from_counts(state, _settled(state, _spread(curves, values, state.devices), curves, numbers))

    return decide


def _inside(state: State, kind: str, taste: Taste) -> list[Claim]:
    """Pick who has devices: those who run, and of those who wait as many as there are devices left."""
    running = [claim for claim in state.claims if claim.held]
    waiting = [claim for claim in state.claims if not claim.held]
    room = state.devices - len(running)
    if len(waiting) > room:
        waiting.sort(key=lambda claim: _turn(claim, state, kind, taste))
    return [*running, *waiting[: max(0, room)]]


def _turn(claim: Claim, state: State, kind: str, taste: Taste) -> tuple[bool, float]:
    if state.now - claim.arrival > taste.patience_s:
        return False, claim.arrival
    best = max(1e-9, claim.rates(((kind, min(claim.demand, state.devices)),)))
    return True, claim.left(state.now) / best / math.pow(claim.priority, taste.urgent)


@dataclass(frozen=True, slots=True)
class _Curve:
    """A job's rates on one kind.

    Args:
        rates: On 0, 1, 2, ... devices, never falling: devices that would slow it stay idle in it.
        steps: For each number of devices, the rate that the best step from it adds a device, and how many it adds.
    """

    rates: tuple[float, ...]
    steps: tuple[tuple[float, int], ...]


@lru_cache(maxsize=1 << 16)  # a job's curve is asked for at every decision
def _curve(rate_of: RateOf, kind: str, most: int) -> _Curve:
    rates = [0.0]
    for count in range(1, most + 1):
        rates.append(max(rates[-1], rate_of(((kind, count),))))
    steps = []
    for now, rate in enumerate(rates):
        ahead = (((rates[after] - rate) / (after - now), after - now) for after in range(now + 1, len(rates)))
        steps.append(max(ahead, default=(0.0, 0), key=lambda step: step[0]))
    return _Curve(tuple(rates), tuple(steps))


def _value(claim: Claim, state: State, curve: _Curve, taste: Taste) -> float:
    best = max(curve.rates[-1], 1e-9)
    left = max(1.0, claim.left(state.now) / best)
    return math.pow(claim.priority, taste.urgent) / math.pow(left, taste.short) / best


def _spread(curves: Mapping[str, _Curve], values: Mapping[str, float], devices: int) -> dict[str, int]:
    """Give each job a device, and the others away where each is worth most."""
    counts, free = dict.fromkeys(curves, 1), devices - len(curves)
    offers = [
        (-curve.steps[1][0] * values[name], at, name)
        for at, (name, curve) in enumerate(curves.items())
        if curve.steps[1][0]
    ]
    heapify(offers)
    while free and offers:
        _, at, name = offers[0]
        steps = curves[name].steps
        more = min(free, steps[counts[name]][1])
        counts[name] += more
        free -= more
        gain = steps[counts[name]][0]
        if gain:
            heapreplace(offers, (-gain * values[name], at, name))
        else:
            heappop(offers)
    return counts


def _settled(state: State, counts: dict[str, int], curves: Mapping[str, _Curve], taste: Taste) -> dict[str, int]:
    """Leave out growth that costs more than it brings, and give what that frees to those who would have shrunk."""
    cost = taste.worth * (state.costs.grow_s + state.costs.pause_s)
    held = {claim.name: devices_in(claim.held) for claim in state.claims if claim.held}
    settled = dict(counts)
    for claim in state.claims:
        now, after = held.get(claim.name, 0), counts.get(claim.name, 0)
        if not 0 < now < after:
            continue
        rates, left = curves[claim.name].rates, claim.left(state.now)
        if left / max(rates[now], 1e-9) - left / max(rates[after], 1e-9) <= cost:
            settled[claim.name] = now
    free = state.devices - sum(settled.values())
    for name, now in held.items():
        if settled[name] < now and free:
            back = min(free, now - settled[name])
            settled[name] += back
            free -= back
    return settled
