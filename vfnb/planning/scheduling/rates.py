"""How fast a job is on a set of devices: the table, what lies between its points, and what a mixture of kinds keeps."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from vfnb.ground import SpecError

Bundle = tuple[tuple[str, int], ...]  # a set of devices: (kind, count) pairs in the order of kinds; () is none
RateOf = Callable[[Bundle], float]  # work a second on a set of devices; 0.0 where the job cannot run

ANY = ""  # a point for devices of every kind


def bundle(counts: Iterable[tuple[str, int]]) -> Bundle:
    """Make a set of devices from counts.

    Args:
        counts: Kinds and how many of each, in any order; zeros are left out.

    Returns:
        The set.
    """
    return tuple(sorted((kind, count) for kind, count in counts if count))


def devices_in(devices: Bundle) -> int:
    """Count a set's devices.

    Args:
        devices: The set.

    Returns:
        How many, over all kinds.
    """
    return devices[0][1] if len(devices) == 1 else sum(count for _, count in devices)


@dataclass(frozen=True, slots=True)
class Scaling:
    """A job's rate by kind and number of devices; called with a set of devices it tells the rate there.

    Between two points of a kind the rate is on the line that joins them, below the smallest on the line to
    zero, and above the largest it stays. Kinds in one set add up, less what keeping them in step costs.

    Args:
        points: Triples of kind, count and rate; the kind "" stands for every kind.
        mixing: The share of the summed rates that a set of several kinds keeps.
    """

    points: tuple[tuple[str, int, float], ...]
    mixing: float = 0.95

    def __post_init__(self) -> None:
        if not self.points:
            raise SpecError("rates has no points; give at least one (kind, count, rate)")
        for kind, count, rate in self.points:
            if count < 1 or not 0 <= rate < float("inf"):
                raise SpecError(f"rates: {kind}*{count}:{rate} is not possible; give a count of 1 or more and a rate")
        if not 0 < self.mixing <= 1:
            raise SpecError(f"mixing={self.mixing} is not possible; give a share above 0 and at most 1")

    def __call__(self, devices: Bundle) -> float:
        """Tell the rate on a set of devices.

        Args:
            devices: The set.

        Returns:
            Work a second; 0.0 on no devices, and where one kind has no rate.
        """
        alone = [self._on(kind, count) for kind, count in devices]
        if not alone or min(alone) <= 0:
            return 0.0
        return alone[0] if len(alone) == 1 else self.mixing * sum(alone)

    def _on(self, kind: str, count: int) -> float:
        below = (0, 0.0)
        for n, rate in _curve(self.points, kind):
            if count <= n:
                return below[1] + (rate - below[1]) * (count - below[0]) / (n - below[0])
            below = (n, rate)
        return below[1]


@lru_cache(maxsize=1 << 16)  # policies ask for the same few curves again and again
def _curve(points: tuple[tuple[str, int, float], ...], kind: str) -> tuple[tuple[int, float], ...]:
    named = [(n, rate) for of, n, rate in points if of == kind]
    return tuple(sorted(named or [(n, rate) for of, n, rate in points if of == ANY]))


def linear_scaling(demand: int) -> Scaling:
    """Let a job scale perfectly, on every kind alike.

    Args:
        demand: The number of devices on which its rate is 1.

    Returns:
        The rates.
    """
    return Scaling(((ANY, demand, 1.0),))
