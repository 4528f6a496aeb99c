"""The fastest split of a step between kinds of devices, by one of three rules, from what was measured of them."""

from collections.abc import Mapping as Table
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from vfnb.ground import PlanError, SpecError
from vfnb.planning.mixed.choices import alone_with, between, measured, powers_of_two
from vfnb.planning.mixed.exact_sum import IDLE, ROUNDING, Choice, quickest, sums
from vfnb.planning.mixed.fastest import fastest
from vfnb.planning.mixed.split import Part, Split, named
from vfnb.spec import Layout, Speed, Speeds

Rule = Literal["equal", "integer", "power-of-two"]
_MOST = 2**22  # the rules with a size a kind try every number of samples: seconds for a million


def solve(speeds: Speeds, devices: Table[str, int], *, batch: int, rule: Rule = "equal", nodes: int = 32) -> Split:
    """Find the split of a global batch that takes the least time.

    "equal" cuts the batch into virtual nodes of one size and gives each device any number of them: what is trained
    does not depend on the answer. "integer" allows each kind a node size of its own, measured or between two
    measured ones. "power-of-two" is the rule of Or et al., 2022: every device is used, with a power of two of nodes
    whose size was measured and is 2^k or 3 * 2^k. The first two leave devices idle that would not make it faster; of
    equally fast splits they use the fewest devices.

    Args:
        speeds: What was measured.
        devices: How many devices of each kind there are.
        batch: The global batch.
        rule: The rule.
        nodes: How many virtual nodes "equal" cuts the batch into; the others choose for themselves.

    Returns:
        The split, beside the best one of a single kind.

    Raises:
        SpecError: If a number, the rule or a kind is unknown.
        PlanError: If no split is possible.
    """
    if rule not in get_args(Rule):
        raise SpecError(f"rule={rule!r} is unknown; give one of {', '.join(get_args(Rule))}")
    _check(devices, batch)
    there = [(speeds.of(kind), number) for kind, number in devices.items()]
    found = _found(there, batch, rule, nodes, speeds.communication or 0.0)
    single = _single(there, batch, rule, nodes, speeds.communication or 0.0)
    return _remarked(replace(found, single=single), speeds)


def price(speeds: Speeds, devices: Table[str, int], given: Table[str, tuple[int, int]], *, batch: int) -> Split:
    """Predict a given split, without looking for a better one.

    Args:
        speeds: What was measured.
        devices: How many devices of each kind work.
        given: The virtual nodes of each device and the samples of a node, a kind.
        batch: The global batch.

    Returns:
        The split.

    Raises:
        PlanError: If the samples do not add up to the batch, a node does not fit or a kind has no part.
    """
    _check(devices, batch)
    if set(given) != set(devices):
        raise PlanError(
            f"the split is of {sorted(given)} and the devices are {sorted(devices)}; give both the same kinds"
        )
    parts = tuple(_given(speeds.of(kind), number, *given[kind]) for kind, number in devices.items())
    total = sum(sum(part.nodes) * part.batch for part in parts)
    if total != batch:
        raise PlanError(f"the split has {total} samples and the batch {batch}; change one of them")
    return _remarked(_split("given", batch, parts, speeds.communication or 0.0), speeds)


def _given(speed: Speed, devices: int, nodes: int, batch: int) -> Part:
    _check_holds(speed, batch)
    return _part(speed, devices, Choice(0, 0.0, devices, nodes, batch))


def _check(devices: Table[str, int], batch: int) -> None:
    for name, value in (*((f"devices of {kind}", number) for kind, number in devices.items()), ("batch", batch)):
        if value < 1:
            raise SpecError(f"{name}={value} is not possible; give a whole number of at least 1")
    if not devices:
        raise SpecError("there are no devices; give at least one")


def _check_sums(batch: int, rule: Rule) -> None:
    if batch > _MOST:
        raise PlanError(
            f"a batch of {batch:,} is more than the rule {rule} looks through ({_MOST:,}); take the rule equal, or "
            f"count in larger units"
        )


def _found(there: Sequence[tuple[Speed, int]], batch: int, rule: Rule, nodes: int, communication: float) -> Split:
    match rule:
        case "equal":
            return _equal(there, batch, nodes, communication)
        case "integer":
            _check_sums(batch, rule)
            choices = _integer(there, batch, communication)
        case "power-of-two":
            _check_sums(batch, rule)
            choices = quickest([powers_of_two(speed, number, batch) for speed, number in there], batch)
    if choices is None:
        raise PlanError(_unreachable(there, batch, rule))
    parts = [_part(speed, number, one) for (speed, number), one in zip(there, choices, strict=True)]
    return _split(rule, batch, tuple(parts), communication)


def _equal(there: Sequence[tuple[Speed, int]], batch: int, nodes: int, communication: float) -> Split:
    """Give each device any number of equal nodes; where the batch does not divide, the largest node counts."""
    if not 1 <= nodes <= batch:
        raise SpecError(f"nodes={nodes} cannot share a batch of {batch}; give from 1 to {batch} virtual nodes")
    size = -(-batch // nodes)
    holds = [(speed, number) for speed, number in there if size <= speed.largest]
    if not holds:
        roomiest = max((speed for speed, _ in there), key=lambda speed: speed.largest)
        _check_holds(roomiest, size, f"{-(-batch // roomiest.largest)} virtual nodes or more")
    workers = [speed for speed, number in holds for _ in range(number)]
    seconds = {worker: speed.seconds(size) for worker, speed in enumerate(workers)}
    counts = fastest(Layout(nodes, nodes), seconds, communication=communication).counts
    parts = []
    for speed, number in there:
        owned = [counts[worker] for worker, one in enumerate(workers) if one is speed and worker in counts]
        each = speed.seconds(size) if owned else 0.0
        many = tuple(sorted(owned, reverse=True))
        parts.append(Part(kind=speed.kind, available=number, batch=size, nodes=many, pass_seconds=each))
    small = [speed.kind for speed, _ in there if size > speed.largest]
    return _split("equal", batch, tuple(parts), communication).remarked(
        f"{_listed(small)} cannot hold a virtual node of {size} samples and stays idle; more nodes are smaller"
        if small
        else "",
        f"{batch} samples make {nodes} virtual nodes of {size - 1} or {size}; all are priced at {size}"
        if batch % nodes
        else "",
    )


def _integer(there: Sequence[tuple[Speed, int]], batch: int, communication: float) -> tuple[Choice, ...] | None:
    """Solve with measured node sizes first: that bounds the time that is worth looking at with all sizes."""
    coarse = quickest([[IDLE, *measured(speed, number, batch)] for speed, number in there], batch)
    limit = ROUNDING * _seconds(coarse) if coarse is not None else float("inf")
    kinds = [[IDLE, *between(speed, number, batch, limit)] for speed, number in there]
    together = quickest(kinds, batch)
    # One device alone has nobody to wait for, which may outweigh what others would compute.
    alone = [
        [one if other == speed else IDLE for other, _ in there]
        for speed, _ in there
        if (one := alone_with(speed, batch)) is not None
    ]
    best = min(alone, key=_seconds, default=None)
    if together is None or best is None or _seconds(best) > ROUNDING * (_seconds(together) + communication):
        return together
    return tuple(best)


def _seconds(choices: Sequence[Choice]) -> float:
    return max(one.seconds for one in choices)


def _single(
    there: Sequence[tuple[Speed, int]], batch: int, rule: Rule, nodes: int, communication: float
) -> Split | None:
    """Find the best split of one kind; it may leave devices of that kind idle where the rule lets it."""
    splits = []
    for one in there:
        try:
            splits.append(_found([one], batch, rule, nodes, communication))
        except PlanError:
            continue  # this kind cannot do it alone
    return min(splits, key=lambda split: split.step_seconds, default=None)


def _split(rule: str, batch: int, parts: tuple[Part, ...], communication: float) -> Split:
    waits = communication if sum(len(part.nodes) for part in parts) > 1 else 0.0
    return Split(rule=rule, batch=batch, parts=parts, communication=waits)


def _part(speed: Speed, available: int, one: Choice) -> Part:
    return Part(
        kind=speed.kind,
        available=available,
        batch=one.batch,
        nodes=(one.nodes,) * one.devices,
        pass_seconds=speed.seconds(one.batch) if one.devices else 0.0,
    )


def _remarked(split: Split, speeds: Speeds) -> Split:
    sizes = {part.batch for part in split.parts if part.nodes}
    idle = [part.kind for part in split.parts if not part.nodes and part.batch <= speeds.of(part.kind).largest]
    loses = split.single is not None and split.single.step_seconds < split.step_seconds
    return split.remarked(
        "virtual nodes of different sizes: batch norm and losses over a batch see other batches than with equal ones, "
        "and the bits belong to this split"
        if len(sizes) > 1
        else "",
        f"mixing loses here: {named(split.single)} would be faster" if loses and split.single is not None else "",
        f"using {_listed(idle)} would not make a step faster" if idle else "",
        *(
            f"{speed.kind} was measured at {speed.largest} samples a pass alone; no other size was looked at"
            for speed in (speeds.of(part.kind) for part in split.parts)
            if len(speed.points) == 1
        ),
        "the profile has no communication_seconds: none are counted" if speeds.communication is None else "",
    )


def _check_holds(speed: Speed, batch: int, remedy: str = "smaller nodes") -> None:
    if batch > speed.largest:
        raise PlanError(
            f"{speed.kind} holds at most {speed.largest} samples a pass, less than one virtual node of {batch}; "
            f"give {remedy}"
        )


def _unreachable(there: Sequence[tuple[Speed, int]], batch: int, rule: Rule) -> str:
    most = 2 * max(batch, sum(number * speed.largest for speed, number in there))
    if rule == "integer":
        kinds = [[IDLE, *between(speed, number, most, float("inf"))] for speed, number in there]
    else:
        kinds = [powers_of_two(speed, number, most) for speed, number in there]
    lacking = [speed.kind for (speed, _), choices in zip(there, kinds, strict=True) if not choices]
    if lacking:
        return f"{_listed(lacking)} has no measured batch of 2^k or 3 * 2^k samples; measure one, or take another rule"
    nearest = " and ".join(str(one) for one in sums(kinds, most, near=batch))
    return f"a batch of {batch} cannot be split exactly by the rule {rule}; the nearest that can: {nearest}"


def _listed(kinds: Sequence[str]) -> str:
    return " and ".join(kinds)
