"""VirtualFlow's workloads: how long each takes on n V100s, from published profiles and a stated sync cost.

A step of batch B takes B / (n R) + S log2(n) seconds: R is one device's published rate at its pass's batch, and S was
fitted to the published ResNet-50 rates on 1 to 8 devices; for the others it is assumed.
"""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import log2

from vfnb.planning import Scaling
from vfnb.simulation.trace import TraceJob


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What is trained.

    Args:
        name: Its name, with the batch of one pass on one device.
        samples_per_length: Samples in a unit of length (an epoch); None: the unit is a step.
        rate_per_device: Samples a second on one V100.
        sync_s: Seconds a step and doubling of devices that keeping in step costs.
    """

    name: str
    samples_per_length: int | None
    rate_per_device: float
    sync_s: float

    @property
    def pass_batch(self) -> int:
        """Samples of one pass on one device."""
        return int(self.name.rpartition(" b")[2])

    def step_s(self, batch: int, devices: int) -> float:
        """Tell how long a step takes.

        Args:
            batch: The global batch.
            devices: How many V100s.

        Returns:
            Seconds.
        """
        return batch / (devices * self.rate_per_device) + self.sync_s * log2(devices)


@cache
def workloads() -> dict[str, Workload]:
    """List the workloads.

    Returns:
        Them by name.
    """
    text = (files("vfnb.simulation") / "workloads.csv").read_text(encoding="utf-8")
    return {
        row["workload"]: Workload(
            name=row["workload"],
            samples_per_length=int(row["samples_per_length"]) if row["samples_per_length"] else None,
            rate_per_device=float(row["rate_per_device"]),
            sync_s=float(row["sync_s"]),
        )
        for row in csv.DictReader(text.splitlines())
    }


def duration_s(workload: Workload, *, demand: int, passes: int, length: int) -> float:
    """Tell how long a job takes on its demand.

    Args:
        workload: What is trained.
        demand: How many devices.
        passes: Passes a device and step.
        length: Epochs, or steps where the workload counts in steps.

    Returns:
        Seconds.
    """
    batch = workload.pass_batch * demand * passes
    steps = length if workload.samples_per_length is None else length * workload.samples_per_length / batch
    return steps * workload.step_s(batch, demand)


def workload_job(  # noqa: PLR0913 (a row of a table, by name)
    workload: Workload, *, name: str, arrival_s: float, priority: float, demand: int, passes: int, length: int
) -> TraceJob:
    """Make a job that trains a workload.

    Args:
        workload: What is trained.
        name: The job's name.
        arrival_s: When it arrives.
        priority: Its weight.
        demand: The most devices it can use; its batch is that of so many.
        passes: Passes a device and step, on its demand.
        length: Epochs, or steps where the workload counts in steps.

    Returns:
        The job, with its rate on every number of devices.
    """
    batch = workload.pass_batch * demand * passes
    whole = workload.step_s(batch, demand)
    return TraceJob(
        name=name,
        arrival_s=arrival_s,
        demand=demand,
        duration_s=duration_s(workload, demand=demand, passes=passes, length=length),
        priority=priority,
        rates=Scaling(tuple(("", n, whole / workload.step_s(batch, n)) for n in range(1, demand + 1))),
    )
