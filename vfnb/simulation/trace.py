"""Traces: which jobs arrive when, on what cluster, and what its changes of size cost."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite

from vfnb.ground import SpecError
from vfnb.planning import Costs, RateOf, bundle, linear_scaling

KIND = "device"  # the one kind of a cluster whose devices are all alike


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceJob:
    """A job of a trace.

    Args:
        name: Its name, unlike all others.
        arrival_s: When it is submitted, in seconds.
        demand: The most devices it can use.
        duration_s: How long it takes where its rate is 1, in seconds; that is its demand, unless `rates` says else.
        priority: Its weight, above 0.
        rates: Its rate on a set of devices; None: in proportion to their number, 1 at its demand.
        deadline_s: When it should be done, in seconds, or None.
    """

    name: str
    arrival_s: float
    demand: int
    duration_s: float
    priority: float = 1.0
    rates: RateOf | None = None
    deadline_s: float | None = None

    def __post_init__(self) -> None:
        if not (isfinite(self.arrival_s) and self.arrival_s >= 0):
            raise SpecError(f"{self.name}: arrival_s={self.arrival_s} is not possible; give seconds of at least 0")
        if not (isfinite(self.duration_s) and self.duration_s > 0):
            raise SpecError(f"{self.name}: duration_s={self.duration_s} is not possible; give seconds above 0")
        if not _is_count(self.demand):
            raise SpecError(f"{self.name}: demand={self.demand!r} is not possible; give a whole number of at least 1")
        if not (isfinite(self.priority) and self.priority > 0):
            raise SpecError(f"{self.name}: priority={self.priority} is not possible; give a number above 0")
        if self.deadline_s is not None and not isfinite(self.deadline_s):
            raise SpecError(f"{self.name}: deadline_s={self.deadline_s} is not possible; give seconds or leave it out")

    @property
    def rate_of(self) -> RateOf:
        """The rates that hold."""
        return linear_scaling(self.demand) if self.rates is None else self.rates


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Jobs and the cluster they were meant for.

    Args:
        name: What it is called.
        jobs: The jobs.
        devices: Devices by kind.
        costs: What changes of size cost there.
        prices: What a device costs an hour, by kind; empty where nobody asks.
    """

    name: str
    jobs: tuple[TraceJob, ...]
    devices: Mapping[str, int] = field(default_factory=lambda: {KIND: 4})
    costs: Costs = field(default_factory=Costs)
    prices: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.jobs:
            raise SpecError(f"trace {self.name!r} has no jobs; give at least one")
        twice = [name for name, times in Counter(job.name for job in self.jobs).items() if times > 1]
        if twice:
            raise SpecError(f"trace {self.name!r} names {twice[0]!r} more than once; give each job its own name")


def cluster_of(devices: int | Mapping[str, int]) -> dict[str, int]:
    """Make devices by kind of a number of devices that are all alike, or of numbers by kind.

    Args:
        devices: The number, or the numbers.

    Returns:
        Devices by kind, in the order of kinds.

    Raises:
        SpecError: If a number is not a whole one of at least 1, or there is none.
    """
    counts = {KIND: devices} if isinstance(devices, int) else dict(devices)
    for kind, count in counts.items():
        if not _is_count(count):
            raise SpecError(f"{count!r} devices of {kind!r} is not possible; give a whole number of at least 1")
    if not counts:
        raise SpecError("a cluster of no devices is not possible; give at least one")
    return dict(bundle(counts.items()))


def check_fits(trace: Trace, devices: Mapping[str, int]) -> None:
    """Refuse a job that demands more than the whole cluster, or can run on none of its kinds.

    Args:
        trace: The jobs.
        devices: The cluster, by kind.

    Raises:
        SpecError: If there is such a job.
    """
    total = sum(devices.values())
    for job in trace.jobs:
        if job.demand > total:
            raise SpecError(
                f"{job.name} demands {job.demand} devices and the cluster has {total}; "
                f"give at least {job.demand} devices, or lower the demand"
            )
        most = {kind: min(count, job.demand) for kind, count in devices.items()}
        if not any(job.rate_of(((kind, count),)) > 0 for kind, count in most.items()):
            raise SpecError(f"{job.name} has a rate on none of {', '.join(devices)}; give it one in its rates")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
