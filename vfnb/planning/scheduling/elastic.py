"""Our own policy: every job gets a device, and the others go where they bring jobs to their end the fastest."""

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heapify, heapreplace

from vfnb.planning.scheduling.rates import size
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
        curves = {claim.name: _curve(claim, kind, state.devices) for claim in inside}
        values = {claim.name: _value(claim, state, curves[claim.name], numbers) for claim in inside}
        counts = dict.fromkeys(values, 1)
        _spread(counts, curves, values, state.devices - len(counts))
        return from_counts(state, _settled(state, counts, curves, numbers))

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
    return True, claim.left(state.now) / best / pow(claim.priority, taste.urgent)


def _curve(claim: Claim, kind: str, devices: int) -> list[float]:
    """List a job's rate on 0, 1, 2, ... devices, never falling: devices that would slow it stay idle in it."""
    rates = [0.0]
    for count in range(1, min(claim.demand, devices) + 1):
        rates.append(max(rates[-1], claim.rates(((kind, count),))))
    return rates


def _value(claim: Claim, state: State, curve: list[float], taste: Taste) -> float:
    left = max(1.0, claim.left(state.now) / max(curve[-1], 1e-9))
    return claim.priority**taste.urgent / left**taste.short / max(curve[-1], 1e-9)


def _spread(counts: dict[str, int], curves: Mapping[str, list[float]], values: Mapping[str, float], free: int) -> None:
    """Give devices away, each where it is worth most; `counts` is changed."""

    def offer(name: str) -> tuple[float, int, str, int]:
        curve, now = curves[name], counts[name]
        best, more = 0.0, 0
        for after in range(now + 1, len(curve)):
            gain = (curve[after] - curve[now]) / (after - now)
            if gain > best:
                best, more = gain, after - now
        return -best * values[name], order[name], name, more

    order = {name: at for at, name in enumerate(counts)}
    offers = [offer(name) for name in counts]
    heapify(offers)
    while free and offers and offers[0][3]:
        _, _, name, more = offers[0]
        counts[name] += min(more, free)
        free -= min(more, free)
        heapreplace(offers, offer(name))


def _settled(state: State, counts: dict[str, int], curves: Mapping[str, list[float]], taste: Taste) -> dict[str, int]:
    """Leave out growth that costs more than it brings, and give what that frees to those who would have shrunk."""
    cost = taste.worth * (state.costs.grow_s + state.costs.pause_s)
    held = {claim.name: size(claim.held) for claim in state.claims if claim.held}
    settled = dict(counts)
    for claim in state.claims:
        now, after = held.get(claim.name, 0), counts.get(claim.name, 0)
        if not 0 < now < after:
            continue
        curve, left = curves[claim.name], claim.left(state.now)
        if left / max(curve[now], 1e-9) - left / max(curve[after], 1e-9) <= cost:
            settled[claim.name] = now
    free = state.devices - sum(settled.values())
    for name, now in held.items():
        if settled[name] < now and free:
            back = min(free, now - settled[name])
            settled[name] += back
            free -= back
    return settled
