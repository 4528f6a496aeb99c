"""How a run's time falls with the number of devices, on its target's kind and on others, and where memory ends it.

The global batch stays, so that fewer devices have more of it each: below some number it does not fit. Above as many
devices as the batch has samples there is nothing left to share.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from vfnb.planning.target.card import Estimate
from vfnb.planning.target.memory import Verdict, memory_of, room_of
from vfnb.planning.target.steptime import Range, batch_of, step_seconds
from vfnb.spec import Accelerator, VirtualCluster, find_accelerator

WELL_KNOWN = ("V100 SXM2 32GB", "A100 80GB SXM4", "H100 SXM 80GB", "TPU v3")
_BEYOND = 4  # times the target's devices that are looked at
_FEWEST = 64  # devices that are looked at, however small the target


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """One number of devices.

    Attributes:
        devices: How many.
        batch_per_device: Samples of the global batch that each has.
        seconds: Of the whole run; of a step where the run's length is not known.
        verdict: Whether that batch fits a device.
    """

    devices: int
    batch_per_device: int
    seconds: Range
    verdict: Verdict

    @property
    def fits(self) -> bool:
        """Whether it can be trained so, if only just."""
        return self.verdict != "does not fit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One kind of device.

    Attributes:
        accelerator: Its name.
        unit: What one is: "chip", "GPU", ...
        reaches: By number of devices, ascending.
    """

    accelerator: str
    unit: str
    reaches: tuple[Reach, ...]

    @property
    def wall(self) -> Reach | None:
        """The fewest devices whose memory holds their part of the batch; None where no number's does."""
        return next((one for one in self.reaches if one.fits), None)


def curves(estimate: Estimate, accelerators: Sequence[str] = ()) -> tuple[Curve, ...]:
    """Predict a run on other numbers and kinds of devices, at the same global batch and precision.

    Args:
        estimate: Of the run on its target.
        accelerators: Beside the target's own; without any a few that are well known.

    Returns:
        A curve a kind, the target's first; a SpecError names those nearest to one that is unknown.
    """
    own = find_accelerator(estimate.target.accelerator)
    rows = {row.name: row for row in (own, *map(find_accelerator, accelerators or WELL_KNOWN))}
    numbers = _numbers(estimate.target)
    return tuple(
        Curve(
            accelerator=row.name,
            unit=row.unit,
            reaches=tuple(_reach(estimate, row, devices) for devices in numbers),
        )
        for row in rows.values()
    )


def _numbers(target: VirtualCluster) -> tuple[int, ...]:
    """List powers of two up to one sample a device or a few times the target, and the target's own number."""
    most = min(target.global_batch, max(_FEWEST, _BEYOND * target.count))
    return tuple(sorted({*(2**power for power in range(most.bit_length())), min(most, target.count)}))


def _reach(estimate: Estimate, row: Accelerator, devices: int) -> Reach:
    workload, batch = estimate.workload, estimate.target.global_batch
    cluster = VirtualCluster(accelerator=row.name, count=devices, global_batch=batch)
    step = step_seconds(workload, cluster, dict(estimate.measured))
    length = estimate.length
    return Reach(
        devices=devices,
        batch_per_device=batch_of(cluster),
        seconds=step if length is None else length.seconds(step, batch),
        verdict=memory_of(workload, room_of(row, devices), batch_of(cluster)).verdict,
    )
