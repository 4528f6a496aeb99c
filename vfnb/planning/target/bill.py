"""What a whole run costs: its steps, hours, energy and price."""

from dataclasses import dataclass

from vfnb.ground import SpecError
from vfnb.planning.target.steptime import Range
from vfnb.spec import Accelerator, VirtualCluster

_FORWARD = 1 / 3  # of a training pass: evaluation has no backward


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """How long a run is.

    Attributes:
        steps: Its training steps.
        evaluated: Samples evaluated over the whole run.
        basis: Where the length comes from, in words.
    """

    steps: int
    evaluated: int = 0
    basis: str = "as asked"

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise SpecError(f"steps={self.steps} is not possible; a run has at least 1 step")

    def seconds(self, step: Range, batch: int) -> Range:
        """Give the time of the whole run, evaluation included.

        Args:
            step: Of a step.
            batch: Samples of one.

        Returns:
            Seconds.
        """
        return step.times(self.steps + _FORWARD * self.evaluated / batch)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What a device costs by the hour; None takes the catalogue's.

    Attributes:
        price_usd: USD for a device and hour.
        watts: Of a device.
    """

    price_usd: float | None = None
    watts: float | None = None

    def __post_init__(self) -> None:
        for name in ("price_usd", "watts"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise SpecError(f"{name}={value} is not possible; give a number from 0 up, or leave it out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """A whole run.

    Attributes:
        steps: Its training steps.
        basis: Where their number comes from.
        run_seconds: All of it, evaluation included.
        price_usd: Of all devices; None where no price is known.
        energy_kwh: Of all devices at their design power; None where it is not known.
        price_basis: Whose price, and of when.
    """

    steps: int
    basis: str
    run_seconds: Range
    price_usd: Range | None
    energy_kwh: Range | None
    price_basis: str


def bill_of(cluster: VirtualCluster, row: Accelerator, step: Range, length: Length, rates: Rates) -> Bill:
    """Add up a run.

    Args:
        cluster: The target.
        row: Its kind of device.
        step: A step's seconds.
        length: How long the run is.
        rates: What overrides the catalogue.

    Returns:
        The bill.
    """
    seconds = length.seconds(step, cluster.global_batch)
    price = row.price_usd_per_device_hour if rates.price_usd is None else rates.price_usd
    watts = row.tdp_w if rates.watts is None else rates.watts
    device_hours = seconds.times(cluster.count / 3600)
    return Bill(
        steps=length.steps,
        basis=length.basis,
        run_seconds=seconds,
        price_usd=None if price is None else device_hours.times(price),
        energy_kwh=None if watts is None else device_hours.times(watts / 1000),
        price_basis=_price_basis(row, rates),
    )


def _price_basis(row: Accelerator, rates: Rates) -> str:
    if rates.price_usd is not None:
        return f"{rates.price_usd:g} USD an hour and device, as given"
    if row.price_usd_per_device_hour is None:
        return f"no price of {row.name} is known; give one in USD an hour and device"
    return f"{row.price_usd_per_device_hour:g} USD an hour and device ({row.price_basis}, {row.price_date})"
