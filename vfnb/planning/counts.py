"""Mappings by explicit numbers of virtual nodes a worker.

Blocks have one of two sizes, `small` and `small + 1`. A worker of `count` virtual nodes in `n` blocks has
`count - small * n` large ones, so any `n` from ceil(count / (small + 1)) to floor(count / small) will do, and
the counts of all workers are possible together exactly where such numbers add up to all the blocks.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Table
from itertools import accumulate

from vfnb.ground import PlanError
from vfnb.planning.moves import homes
from vfnb.planning.seats import check_workers, pairs, seat
from vfnb.planning.shares import shared
from vfnb.spec import Layout, Mapping


def by_counts(
    layout: Layout, counts: Table[int, int], near: Mapping | None = None, *, present: Layout | None = None
) -> Mapping:
    """Map so that each worker owns as many virtual nodes as said, moving as few blocks as possible.

    A PlanError says what cannot be: a count that is not above 0 or would split a block (it names the nearest
    two that are possible), a sum that is not all virtual nodes, no workers or more than blocks, or a `near`
    of another layout.

    Args:
        layout: The blocks to map.
        counts: How many virtual nodes each worker owns, all of them in sum.
        near: The present mapping, or None to aim at consecutive blocks in the order of ids.
        present: The part of the layout that the counts are of, blocks that come in later being shared in proportion to
            them; None for all of it.

    Returns:
        The mapping.
    """
    check_workers(layout, list(counts))
    ordered = {worker: counts[worker] for worker in sorted(counts)}
    _check_counts(present or layout, ordered)
    _check_splits(present or layout, ordered)
    if layout.later:
        return Mapping(layout, pairs(*shared(layout, ordered, {} if near is None else homes(near, layout))))
    home = _consecutive(layout, ordered) if near is None else homes(near, layout)
    small, large = _by_size(layout)
    numbers = _numbers(layout, ordered, home)
    room_large = {worker: count - _small(layout) * numbers[worker] for worker, count in ordered.items()}
    room_small = {worker: numbers[worker] - room_large[worker] for worker in ordered}
    return Mapping(layout, pairs(seat(large, room_large, home), seat(small, room_small, home)))


def _check_counts(layout: Layout, counts: Table[int, int]) -> None:
    for worker, count in counts.items():
        if not _is_count(count):
            raise PlanError(
                f"worker {worker} cannot own {count!r} virtual nodes; give a whole number of at least 1, "
                f"or leave the worker out"
            )
    total = sum(counts.values())
    if total != layout.nodes:
        raise PlanError(
            f"the counts sum to {total} virtual nodes, but there are {layout.nodes}; "
            f"{'add' if total < layout.nodes else 'take away'} {abs(layout.nodes - total)}"
        )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _check_splits(layout: Layout, counts: Table[int, int]) -> None:
    """Refuse the first count that is not possible beside those before it."""
    before: list[int] = []
    for worker, count in counts.items():
        later = len(counts) - len(before) - 1
        if not _possible(layout, [*before, count], later):
            below = _first_possible(layout, before, later, range(count - 1, 0, -1))
            above = _first_possible(layout, before, later, range(count + 1, layout.nodes + 1))
            nearest = " and ".join(str(one) for one in (below, above) if one is not None)
            raise PlanError(
                f"worker {worker} cannot own {count} virtual nodes without splitting a block (blocks have "
                f"{_sizes_said(layout)} virtual nodes and move as a whole); the nearest possible: {nearest}"
            )
        before.append(count)


def _first_possible(layout: Layout, before: Sequence[int], later: int, candidates: Iterable[int]) -> int | None:
    return next((count for count in candidates if _possible(layout, [*before, count], later)), None)


def _possible(layout: Layout, counts: Sequence[int], later: int) -> bool:
    """Tell whether `counts` leave whole blocks, one at least for each of `later` further workers."""
    rest = layout.nodes - sum(counts)
    if rest < 0 or (rest > 0) != (later > 0):
        return False
    spans = [_span(layout, count) for count in counts]
    least, most = _span(layout, rest)
    spans.append((max(least, later), most))
    whole = all(least <= most for least, most in spans)
    return whole and sum(least for least, _ in spans) <= layout.blocks <= sum(most for _, most in spans)


def _span(layout: Layout, count: int) -> tuple[int, int]:
    """Give the least and the most blocks that `count` virtual nodes can be; least > most where none can."""
    small = _small(layout)
    return -(-count // (small + 1)), count // small


def _numbers(layout: Layout, counts: Table[int, int], home: Table[int, int]) -> dict[int, int]:
    """Choose how many blocks each worker has so that the most blocks stay at home.

    What stays is concave in each worker's number, so raising the best one at a time finds the maximum.
    """
    small, large = _by_size(layout)
    at_home_small = Counter(home[block] for block in small)
    at_home_large = Counter(home[block] for block in large)
    size = _small(layout)

    def stays(worker: int, number: int) -> int:
        larges = counts[worker] - size * number
        return min(larges, at_home_large[worker]) + min(number - larges, at_home_small[worker])

    def gain(worker: int) -> int:
        return stays(worker, numbers[worker] + 1) - stays(worker, numbers[worker])

    numbers = {worker: _span(layout, count)[0] for worker, count in counts.items()}
    most = {worker: _span(layout, count)[1] for worker, count in counts.items()}
    for _ in range(layout.blocks - sum(numbers.values())):
        best = max((worker for worker in counts if numbers[worker] < most[worker]), key=gain)
        numbers[best] += 1
    return numbers


def _consecutive(layout: Layout, counts: Table[int, int]) -> dict[int, int]:
    """Tell whom each block would belong to if the workers cut the virtual nodes one after another."""
    ends = zip(counts, accumulate(counts.values()), strict=True)
    return dict(_cut(layout, ends))


def _cut(layout: Layout, ends: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    worker, end = next(ends)
    for block in range(layout.blocks):
        while layout.nodes_of(block).start >= end:
            worker, end = next(ends)
        yield block, worker


def _by_size(layout: Layout) -> tuple[range, range]:
    """Split the blocks into small and large ones; the large ones are the lowest."""
    large = layout.nodes % layout.blocks
    return range(large, layout.blocks), range(large)


def _small(layout: Layout) -> int:
    return layout.nodes // layout.blocks


def _sizes_said(layout: Layout) -> str:
    return " or ".join(str(size) for size in sorted(set(layout.sizes)))
