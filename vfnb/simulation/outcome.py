"""What came of a simulated trace: each job's times, the cluster's figures, and the whole timeline."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from vfnb.planning import Bundle, devices_in

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A job has other devices from a moment on.

    Args:
        time: When, in seconds.
        job: Which job.
        held: Its devices; () where it waits or is done.
        why: "decided", "lost" (a device failed) or "done".
    """

    time: float
    job: str
    held: Bundle
    why: str

    @property
    def devices(self) -> int:
        """How many it has."""
        return devices_in(self.held)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOutcome:
    """What became of one job.

    Args:
        name: Its name.
        arrival_s: When it was submitted.
        started_s: When it first got devices.
        finished_s: When it was done.
        priority: Its weight.
        demand: The most devices it could use.
        alone_s: How long it takes alone on its demand.
        device_seconds: Devices it held, times how long.
        useful_s: Device-seconds the same work takes on devices that scale perfectly.
        resizes: How often it went from one size to another while it ran.
        deadline_s: When it should have been done, or None.
    """

    name: str
    arrival_s: float
    started_s: float
    finished_s: float
    priority: float
    demand: int
    alone_s: float
    device_seconds: float
    useful_s: float
    resizes: int
    deadline_s: float | None = None

    @property
    def completion_s(self) -> float:
        """From its arrival to its end."""
        return self.finished_s - self.arrival_s

    @property
    def queueing_s(self) -> float:
        """From its arrival to its first devices."""
        return self.started_s - self.arrival_s

    @property
    def slowdown(self) -> float:
        """How many times longer it took than alone."""
        return self.completion_s / self.alone_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a policy made of a trace.

    Args:
        trace: The trace's name.
        policy: The policy's name.
        devices: The cluster, by kind.
        jobs: What became of each job, in the order of the trace.
        changes: Every change of allocation, in the order of time.
        failures: What solvers said of answers that they could not give, in the order of time.
    """

    trace: str
    policy: str
    devices: Mapping[str, int]
    jobs: tuple[JobOutcome, ...]
    changes: tuple[Change, ...]
    failures: tuple[str, ...] = ()

    @property
    def makespan_s(self) -> float:
        """From the first arrival to the last end."""
        return max(job.finished_s for job in self.jobs) - min(job.arrival_s for job in self.jobs)

    @property
    def mean_completion_s(self) -> float:
        """The mean over jobs from arrival to end."""
        return mean(job.completion_s for job in self.jobs)

    @property
    def median_completion_s(self) -> float:
        """The median over jobs from arrival to end."""
        return median(job.completion_s for job in self.jobs)

    @property
    def mean_queueing_s(self) -> float:
        """The mean over jobs from arrival to first devices."""
        return mean(job.queueing_s for job in self.jobs)

    @property
    def median_queueing_s(self) -> float:
        """The median over jobs from arrival to first devices."""
        return median(job.queueing_s for job in self.jobs)

    @property
    def weighted_completion_s(self) -> float:
        """The mean over jobs from arrival to end, weighted by priority."""
        return sum(job.completion_s * job.priority for job in self.jobs) / sum(job.priority for job in self.jobs)

    @property
    def utilisation(self) -> float:
        """The share of all device-seconds that was given to jobs, used or not."""
        return sum(job.device_seconds for job in self.jobs) / self._offered

    @property
    def useful_utilisation(self) -> float:
        """The share of all device-seconds that perfectly scaling devices would have needed for the same work."""
        return sum(job.useful_s for job in self.jobs) / self._offered

    @property
    def fairness(self) -> float:
        """Jain's index over the jobs' slowdowns: 1 where all are slowed alike, 1/n at worst."""
        slow = [job.slowdown for job in self.jobs]
        return sum(slow) ** 2 / (len(slow) * sum(each * each for each in slow))

    @property
    def resizes(self) -> int:
        """How often running jobs changed size."""
        return sum(job.resizes for job in self.jobs)

    @property
    def timeline(self) -> "pd.DataFrame":
        """Every change of allocation: time, job, devices, set (such as "4 v100"), why, and devices in use after it."""
        import pandas as pd

        rows, now = [], dict.fromkeys((job.name for job in self.jobs), 0)
        used = 0
        for change in self.changes:
            used += change.devices - now[change.job]
            now[change.job] = change.devices
            held = " + ".join(f"{count} {kind}" for kind, count in change.held)
            rows.append((change.time, change.job, change.devices, held, change.why, used))
        return pd.DataFrame(rows, columns=["time", "job", "devices", "set", "why", "in_use"])

    @property
    def table(self) -> "pd.DataFrame":
        """A row a job: its times, demand, priority, device-seconds, resizes."""
        import pandas as pd

        return pd.DataFrame([{"job": job.name, **_plain_job(job)} for job in self.jobs])

    @property
    def summary(self) -> str:
        """The cluster's figures in one sentence."""
        return (
            f"{len(self.jobs)} jobs on {', '.join(f'{count} {kind}' for kind, count in self.devices.items())}: "
            f"makespan {self.makespan_s:.0f} s, completion mean {self.mean_completion_s:.0f} s and median "
            f"{self.median_completion_s:.0f} s, queueing median {self.median_queueing_s:.0f} s, "
            f"utilisation {self.utilisation:.1%} allocated and {self.useful_utilisation:.1%} useful, "
            f"fairness {self.fairness:.2f}, {self.resizes} resizes"
        )

    def __str__(self) -> str:
        """Show a line a job, and the summary."""
        wide = max(3, *(len(job.name) for job in self.jobs))
        lines = [f"{'job':<{wide}}  arrival s  queueing s  completion s  slowdown  resizes"]
        lines += [
            f"{job.name:<{wide}}  {job.arrival_s:9.0f}  {job.queueing_s:10.0f}  {job.completion_s:12.0f}"
            f"  {job.slowdown:8.2f}  {job.resizes:7d}"
            for job in self.jobs
        ]
        return "\n".join((f"{self.trace} under {self.policy}", *lines, self.summary, *self.failures))

    @property
    def _offered(self) -> float:
        return sum(self.devices.values()) * self.makespan_s

    def plain(self) -> dict[str, Any]:
        """Tell the outcome in numbers, texts, lists and dictionaries alone.

        Returns:
            What JSON can hold; `allocations` has a job's sizes from its start on, not its end.
        """
        figures = ("makespan_s", "mean_completion_s", "median_completion_s", "mean_queueing_s", "median_queueing_s")
        shares = ("weighted_completion_s", "utilisation", "useful_utilisation", "fairness", "resizes")
        return {
            "trace": self.trace,
            "policy": self.policy,
            "devices": dict(self.devices),
            **{name: getattr(self, name) for name in (*figures, *shares)},
            "jobs": {job.name: _plain_job(job) for job in self.jobs},
            "allocations": [
                {"time": change.time, "job": change.job, "devices": change.devices, "set": dict(change.held)}
                for change in self.changes
                if change.why != "done"
            ],
            "failures": list(self.failures),
        }


def _plain_job(job: JobOutcome) -> dict[str, Any]:
    names = ("arrival_s", "started_s", "finished_s", "completion_s", "queueing_s", "slowdown")
    others = ("priority", "demand", "device_seconds", "useful_s", "resizes", "deadline_s")
    return {name: getattr(job, name) for name in (*names, *others)}
