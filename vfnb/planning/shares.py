"""Sharing a layout's blocks so that workers stand in proportion at every step, before and after blocks come in."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from heapq import heapify, heapreplace

from vfnb.planning.seats import seat
from vfnb.spec import Layout


def shared(layout: Layout, weights: Mapping[int, int], home: Mapping[int, int]) -> list[dict[int, list[int]]]:
    """Seat a layout's blocks in proportion to weights.

    Every worker gets one of the first blocks; the others go one after another to whoever would then have the fewest for
    its weight (d'Hondt's method). So what a worker has never shrinks, and at every step the one with the most for its
    weight has as few as can be.

    Args:
        layout: The blocks.
        weights: Of each worker, above 0; no more workers than the job begins with blocks.
        home: The worker that a block would rather be on.

    Returns:
        The blocks of each worker, generation by generation.
    """
    seated, have = [], dict.fromkeys(weights, 0)
    for blocks in layout.generations:
        room = _room(len(blocks), weights, have, Counter(home.get(block) for block in blocks))
        seated.append(seat(blocks, room, home))
        have = {worker: have[worker] + room[worker] for worker in weights}
    return seated


def _room(
    blocks: int, weights: Mapping[int, int], have: Mapping[int, int], owned: Mapping[int | None, int]
) -> dict[int, int]:
    """Say how many of some further blocks each worker gets; a tie goes to who would lose more of them without."""

    def turn(worker: int) -> tuple[bool, Fraction, int, int]:
        got = room[worker]
        has = have[worker] + got
        return has > 0, Fraction(has + 1, weights[worker]), got - owned.get(worker, 0), worker

    room = dict.fromkeys(weights, 0)
    queue = [turn(worker) for worker in weights]
    heapify(queue)
    for _ in range(blocks):
        *_, worker = queue[0]
        room[worker] += 1
        heapreplace(queue, turn(worker))
    return room
