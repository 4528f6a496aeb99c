"""The fastest mapping of equal virtual nodes to workers of several speeds.

A worker's time is its nodes times the seconds of one; the step waits for the slowest. For a limit on that time every
worker has room for a number of nodes, and only those numbers decide whether all blocks find a place: so the least
limit is found by halving, down to neighbouring floats.
Blocks have `small` nodes or one more. In room for `r` nodes, `n` blocks can stand of which min(n, r - small * n) are
large. That is concave in `n`, so taking the cheapest block next finds the most large ones for any total.
"""

from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping as Table
from dataclasses import dataclass
from heapq import heapify, heapreplace
from math import isfinite

from vfnb.ground import PlanError
from vfnb.planning.counts import by_counts
from vfnb.planning.mixed.crew import fewest
from vfnb.planning.mixed.exact_sum import ROUNDING
from vfnb.planning.moves import homes
from vfnb.planning.seats import check_workers, pairs, seat
from vfnb.spec import Layout, Mapping


def fastest(
    layout: Layout, seconds: Table[int, float], near: Mapping | None = None, *, communication: float = 0.0
) -> Mapping:
    """Map so that a step takes the least time; workers that would not make it faster are left out.

    Of equally fast mappings it is one with the fewest workers, and of those, where all blocks have one size, one that
    moves the fewest virtual nodes away from their present worker. `levelled` leaves nobody out.

    Args:
        layout: The blocks to map.
        seconds: The time of one virtual node's pass on each worker there is.
        near: The present mapping, or None.
        communication: What a step of more than one worker takes beside its passes, in seconds.

    Returns:
        The mapping.

    Raises:
        PlanError: If there is no worker, or a time is not above 0.
    """
    _check_seconds(seconds)
    if layout.later:  # its blocks have one size, and what comes in is shared as what is there
        plain = fastest(Layout(layout.nodes, layout.blocks), seconds, communication=communication)
        return by_counts(layout, plain.counts, near)
    home = {} if near is None else homes(near, layout)
    quickest = min(seconds, key=lambda worker: (seconds[worker], worker))
    alone = layout.nodes * seconds[quickest]
    limit = _least_limit(layout, Counter(seconds.values()), alone)
    limit = ROUNDING * (alone if ROUNDING * (limit + communication) >= alone else limit)
    room = {worker: within(limit, each) for worker, each in sorted(seconds.items())}
    chosen = _chosen(layout, room, home)
    return _seated(layout, {worker: room[worker] for worker in chosen}, seconds, home, least=0)


def levelled(layout: Layout, seconds: Table[int, float], near: Mapping | None = None) -> Mapping:
    """Map so that a step takes the least time in which every worker has a block at least.

    Whoever works can be measured, so a worker that became slow is seen to become fast again. Where all blocks have one
    size, no mapping as fast moves fewer virtual nodes.

    Args:
        layout: The blocks to map.
        seconds: The time of one virtual node's pass on each worker.
        near: The present mapping over these very workers, or None.

    Returns:
        The mapping.

    Raises:
        PlanError: If there are no workers or more than blocks, a time is not above 0, or `near` has other workers.
    """
    check_workers(layout, list(seconds))
    _check_seconds(seconds)
    if near is not None and set(near.workers) != set(seconds):
        raise PlanError(
            f"times of workers {sorted(seconds)} do not fit a mapping of {list(near.workers)}; measure these"
        )
    if layout.later:  # as in `fastest`
        return by_counts(layout, levelled(Layout(layout.nodes, layout.blocks), seconds).counts, near)
    home = {} if near is None else homes(near, layout)
    # The slowest worker's one block is a limit of its own; the smallest block will do.
    floor, most = (max(seconds.values()) * nodes for nodes in (_small(layout), _small(layout) + 1))
    most = max(most, layout.nodes * min(seconds.values()))
    limit = max(floor, _least_limit(layout, Counter(seconds.values()), most, least=1))
    room = {worker: within(ROUNDING * limit, each) for worker, each in sorted(seconds.items())}
    return _seated(layout, room, seconds, home, least=1)


def _seated(
    layout: Layout, room: Table[int, int], seconds: Table[int, float], home: Table[int, int], *, least: int
) -> Mapping:
    """Seat all blocks in rooms that are known to hold them, `least` a worker."""
    larges = range(layout.nodes % layout.blocks)
    smalls = range(len(larges), layout.blocks)
    numbers = _numbers(layout, room, seconds, Counter(home.values()), least)
    most = {worker: min(number, room[worker] - _small(layout) * number) for worker, number in numbers.items()}
    large = _dealt(len(larges), most, Counter(home[block] for block in larges if home))
    small = {worker: number - large[worker] for worker, number in numbers.items()}
    return Mapping(layout, pairs(seat(larges, large, home), seat(smalls, small, home)))


def within(limit: float, each: float) -> int:
    """Count how many passes end in time.

    Args:
        limit: The time, in seconds.
        each: The seconds of one pass.

    Returns:
        The largest number that takes no longer, in floating point.
    """
    count = int(limit / each)
    while (count + 1) * each <= limit:
        count += 1
    while count * each > limit:
        count -= 1
    return count


def _check_seconds(seconds: Table[int, float]) -> None:
    if not seconds:
        raise PlanError("no worker is there to map the virtual nodes to; give at least one")
    for worker, each in seconds.items():
        if not isfinite(each) or each <= 0:
            raise PlanError(f"worker {worker} takes {each!r} seconds a pass; give the time as it was measured, above 0")


def _least_limit(layout: Layout, speeds: Table[float, int], most: float, least: int = 0) -> float:
    """Find the least time in which workers, as many of each speed as told, can hold all blocks, `least` each."""
    low, high = 0.0, most
    while low < (middle := (low + high) / 2) < high:
        if _fits(layout, [(within(middle, each), number) for each, number in speeds.items()], least):
            high = middle
        else:
            low = middle
    return high


def _fits(layout: Layout, rooms: Iterable[tuple[int, int]], least: int = 0) -> bool:
    """Tell whether all blocks stand in rooms of so many nodes, so many of each, `least` in every room."""
    small = _small(layout)
    places = [place for room, number in rooms for place in _places(room, small, number, least)]
    missing, larges = layout.blocks, 0
    for place in sorted(places, key=lambda place: (place.free, place.lost)):
        taken = min(missing, place.blocks)
        missing -= taken
        larges += taken * (1 - place.lost)
    return missing == 0 and larges >= layout.nodes % layout.blocks


@dataclass(frozen=True, slots=True)
class _Places:
    """Room for `blocks` blocks, each of which lowers the most large blocks by `lost - 1`; `free` to stay empty."""

    blocks: int
    lost: int
    free: bool = True


def _places(room: int, small: int, number: int = 1, least: int = 0) -> list[_Places]:
    """List what `number` equal rooms can take: blocks that may be large, then one that fills the rest, then more.

    The first `least` of a room are not free to stay empty, and find a place however small the room is.
    """
    room = max(room, least * small)
    large = room // (small + 1)
    further = room // small - large
    rest = room - large * (small + 1)
    of_large = min(least, large)
    return [
        _Places(number * least, least - of_large, free=False),
        _Places(number * (large - of_large), 0),
        _Places(number * (min(further, 1) - least + of_large), 1 + small - rest),
        _Places(number * max(further - 1, 0), 1 + small),
    ]


def _chosen(layout: Layout, room: Table[int, int], home: Table[int, int]) -> list[int]:
    """Choose the fewest workers whose rooms hold all blocks."""
    owned = Counter(home.values())
    by_room = sorted(room, key=lambda worker: (-room[worker], -owned[worker], worker))
    count = next(
        count
        for count in range(1, len(by_room) + 1)
        if _fits(layout, Counter(room[worker] for worker in by_room[:count]).items())
    )
    if layout.nodes % layout.blocks:
        return by_room[:count]
    blocks = {worker: room[worker] // _small(layout) for worker in by_room}
    stay = {worker: min(blocks[worker], owned[worker]) for worker in by_room}
    return fewest(blocks, stay, needed=layout.blocks, count=count)


def _numbers(
    layout: Layout, room: Table[int, int], seconds: Table[int, float], owned: Table[int, int], least: int
) -> dict[int, int]:
    """Choose how many blocks each worker has: those it has now where they fit, then whoever would be done first."""
    small, missing = _small(layout), layout.blocks
    limits = dict.fromkeys(room, 0)
    places = [(place, worker) for worker, nodes in room.items() for place in _places(nodes, small, least=least)]
    for place, worker in sorted(places, key=lambda one: (one[0].free, one[0].lost, -owned.get(one[1], 0), one[1])):
        # Past the blocks that may be large, every one taken is needed: there is no choice left.
        taken = place.blocks if place.lost == 0 or small * layout.blocks == layout.nodes else min(missing, place.blocks)
        limits[worker] += taken
        missing = max(missing - taken, 0)
    numbers = {worker: max(least, min(limit, owned.get(worker, 0))) for worker, limit in limits.items()}
    queue = [((number + 1) * seconds[worker], worker) for worker, number in numbers.items()]
    heapify(queue)
    left = layout.blocks - sum(numbers.values())
    while left:
        _, worker = queue[0]
        if numbers[worker] < limits[worker]:
            numbers[worker] += 1
            left -= 1
            heapreplace(queue, ((numbers[worker] + 1) * seconds[worker], worker))
        else:
            heapreplace(queue, (float("inf"), worker))
    return {worker: number for worker, number in numbers.items() if number}


def _dealt(total: int, most: Table[int, int], wanted: Table[int, int]) -> dict[int, int]:
    """Deal out `total` things, first to whom they belong, nobody more than `most`."""
    dealt = {worker: min(limit, wanted.get(worker, 0)) for worker, limit in most.items()}
    left = total - sum(dealt.values())
    for worker, limit in most.items():
        more = min(left, limit - dealt[worker])
        dealt[worker] += more
        left -= more
    assert left == 0, f"{left} of {total} find no place"
    return dealt


def _small(layout: Layout) -> int:
    return layout.nodes // layout.blocks
