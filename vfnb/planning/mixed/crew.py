"""Choosing as few workers as do, those among them that keep the most."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import accumulate

# How many workers are taken and what room they have -> the blocks that stay, and how many are taken of each group.
_States = dict[tuple[int, int], tuple[int, tuple[int, ...]]]


def fewest(room: Mapping[int, int], stay: Mapping[int, int], *, needed: int, count: int) -> list[int]:
    """Choose `count` workers with enough room in all that keep the most blocks where they are.

    `count` is the least that can do, so a choice is at most one worker's room away from the roomiest: few sums come
    up, and all of them are tried.

    Args:
        room: How many blocks each worker can take.
        stay: How many of its present blocks each could keep.
        needed: How many blocks there are.
        count: How many workers to choose; the `count` roomiest have enough.

    Returns:
        The workers.
    """
    groups: dict[int, list[int]] = defaultdict(list)
    for worker in sorted(room, key=lambda worker: (-room[worker], -stay[worker], worker)):
        groups[room[worker]].append(worker)
    states: _States = {(0, 0): (0, ())}
    rooms = list(groups)
    for at, each in enumerate(rooms):
        kept = [0, *accumulate(stay[worker] for worker in groups[each])]
        later = [one for smaller in rooms[at + 1 :] for one in [smaller] * len(groups[smaller])]
        best = [0, *accumulate(later[:count])]
        states = _extended(states, each, kept, best, needed, count)
    _, taken = states[count, needed]
    return [worker for each, number in zip(rooms, taken, strict=True) for worker in groups[each][:number]]


def _extended(states: _States, each: int, kept: list[int], best: list[int], needed: int, count: int) -> _States:
    """Take every number of one more group's workers that leaves a way to enough room."""
    found: _States = {}
    for (workers, room), (stays, taken) in states.items():
        for number in range(min(len(kept) - 1, count - workers), -1, -1):
            total, left = min(room + number * each, needed), count - workers - number
            if left >= len(best) or total + best[left] < needed:
                break  # fewer of a roomier group only makes it harder
            better = (stays + kept[number], (*taken, number))
            key = (workers + number, total)
            if key not in found or better[0] > found[key][0]:
                found[key] = better
    return found
