"""One choice for each kind of device so that the samples add up exactly and the slowest kind is done first.

Sets of sums are whole numbers whose bit `s` says that `s` samples can be reached.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

ROUNDING = 1 + 1e-9  # times that differ by less are equal, as 9 * 0.2 and 6 * 0.3 are: fewer devices win


@dataclass(frozen=True, slots=True)
class Choice:
    """What one kind of device could do in a step.

    Attributes:
        samples: What all its devices compute together.
        seconds: How long that takes.
        devices: How many of them work.
        nodes: The virtual nodes of each.
        batch: The samples of each node.
    """

    samples: int
    seconds: float
    devices: int
    nodes: int
    batch: int


IDLE = Choice(samples=0, seconds=0.0, devices=0, nodes=0, batch=0)


def quickest(kinds: Sequence[Sequence[Choice]], total: int) -> tuple[Choice, ...] | None:
    """Choose once for every kind: exactly `total` samples, the least time, and for that the fewest devices.

    Args:
        kinds: What each kind could do; `IDLE` among it where it need not do anything.
        total: The samples in all.

    Returns:
        The choices in the order of `kinds`, or None where no choices add up.
    """
    limits = sorted({one.seconds for choices in kinds for one in choices})
    low, high = 0, len(limits)
    while low < high:
        middle = (low + high) // 2
        if total in sums(_below(kinds, limits[middle]), total, near=total):
            high = middle
        else:
            low = middle + 1
    return _fewest(_below(kinds, ROUNDING * limits[low]), total) if low < len(limits) else None


def sums(kinds: Sequence[Sequence[Choice]], most: int, near: int) -> tuple[int, ...]:
    """Find the reachable sums next to a number.

    Args:
        kinds: What each kind could do.
        most: The largest sum that counts.
        near: The number.

    Returns:
        `near` alone where it can be reached; else the nearest below and above it, as far as there are.
    """
    *earlier, last = [_set((one.samples for one in choices), most) for choices in kinds]
    reached = reduce(lambda one, other: _added(one, other, most), earlier, 1)
    if near <= most and reached & _mirrored(last, near):
        return (near,)
    if near < most:
        reached = _added(reached, last, most)
        below = (reached & ((1 << near) - 1)).bit_length() - 1
        above = reached >> near
        higher = near + (above & -above).bit_length() - 1 if above else 0
        return tuple(sorted({one for one in (below, higher) if one > 0}))
    return ()


def _below(kinds: Sequence[Sequence[Choice]], limit: float) -> list[list[Choice]]:
    return [[one for one in choices if one.seconds <= limit] for choices in kinds]


def _set(members: Iterable[int], most: int) -> int:
    """Make a set of the members up to `most`."""
    digits = bytearray(b"0") * (most + 1)
    for one in members:
        if one <= most:
            digits[most - one] = ord("1")
    return int(digits, 2)


def _members(numbers: int) -> list[int]:
    digits = f"{numbers:b}"[::-1]
    return [at for at, digit in enumerate(digits) if digit == "1"]


def _mirrored(numbers: int, total: int) -> int:
    """Turn each member `s` into `total - s`."""
    kept = numbers & ((1 << (total + 1)) - 1)
    return int(f"{kept:0{total + 1}b}"[::-1], 2)


def _added(one: int, other: int, most: int) -> int:
    """Give every sum of a member of each."""
    few, many = sorted((one, other), key=int.bit_count)
    mask = (1 << (most + 1)) - 1
    return reduce(lambda found, member: found | (many << member) & mask, _members(few), 0)


def _fewest(kinds: Sequence[Sequence[Choice]], total: int) -> tuple[Choice, ...]:
    """Choose the fewest devices that add up; who could do the same with as many does it in less time."""
    best = [_best(choices) for choices in kinds]
    layers = [{0: 1}]  # devices -> the sums for which they are the fewest
    for choices in best:
        layers.append(_layer(layers[-1], choices, total))
    devices = next(count for count, reached in sorted(layers[-1].items()) if reached >> total & 1)
    chosen: list[Choice] = []
    for before, choices in zip(reversed(layers[:-1]), reversed(best), strict=True):
        one = next(
            one
            for one in choices
            if one.samples <= total and before.get(devices - one.devices, 0) >> (total - one.samples) & 1
        )
        chosen.append(one)
        total, devices = total - one.samples, devices - one.devices
    return tuple(reversed(chosen))


def _best(choices: Iterable[Choice]) -> list[Choice]:
    """Keep one choice for each number of samples: the fewest devices, then the least time."""
    kept: dict[int, Choice] = {}
    for one in sorted(choices, key=lambda one: (one.devices, one.seconds, one.nodes)):
        kept.setdefault(one.samples, one)
    return list(kept.values())


def _layer(before: dict[int, int], choices: Iterable[Choice], total: int) -> dict[int, int]:
    mask = (1 << (total + 1)) - 1
    found: dict[int, int] = defaultdict(int)
    for one in choices:
        for devices, reached in before.items():
            found[devices + one.devices] |= (reached << one.samples) & mask
    seen, fewest = 0, {}
    for devices, reached in sorted(found.items()):
        if new := reached & ~seen:
            fewest[devices] = new
            seen |= new
    return fewest
