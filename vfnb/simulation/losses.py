"""Devices that fail and come back, as a list that the simulator is given."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from vfnb.ground import SpecError


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """One device is gone for a while.

    Args:
        at_s: When it fails.
        kind: Its kind.
        back_s: When it is there again.
    """

    at_s: float
    kind: str
    back_s: float

    def __post_init__(self) -> None:
        if not 0 <= self.at_s < self.back_s < float("inf"):
            raise SpecError(f"a device lost from {self.at_s} to {self.back_s} is not possible; give 0 <= at_s < back_s")


def random_losses(
    devices: Mapping[str, int], *, every_s: float, repair_s: float, until_s: float, seed: int = 0
) -> tuple[Loss, ...]:
    """Draw losses: each device fails on average once in `every_s`, and is back after `repair_s`.

    Args:
        devices: The cluster, by kind.
        every_s: The mean time between a device's failures.
        repair_s: How long one is gone.
        until_s: Losses are drawn up to this time.
        seed: Of the draw.

    Returns:
        The losses, in the order of time.

    Raises:
        SpecError: If a duration is not above 0.
    """
    if not (every_s > 0 and repair_s > 0):
        raise SpecError(f"every_s={every_s}, repair_s={repair_s} is not possible; give seconds above 0")
    random = Random(seed)
    losses = []
    for kind, count in sorted(devices.items()):
        for _ in range(count):
            now = random.expovariate(1 / every_s)
            while now < until_s:
                losses.append(Loss(at_s=now, kind=kind, back_s=now + repair_s))
                now += repair_s + random.expovariate(1 / every_s)
    return tuple(sorted(losses, key=lambda loss: (loss.at_s, loss.kind, loss.back_s)))
