"""Random traces: the paper's Poisson generator over its table of jobs, and arrivals that others can use."""

import csv
from functools import cache
from importlib.resources import files
from itertools import product
from math import floor, log
from random import Random

from vfnb.ground import SpecError
from vfnb.planning import Costs, Scaling
from vfnb.simulation.published import named_trace
from vfnb.simulation.trace import Trace, TraceJob, cluster_of
from vfnb.simulation.workloads import Workload, duration_s, workload_job, workloads

PRIORITIES = (1, 5, 10)
MIXED_CLUSTER = {"k80": 16, "p100": 8, "v100": 4}
SHORTEST_S, LONGEST_S = 180.0, 1500.0  # the authors' estimates are 4 to 24 minutes; ours differ by a minute at most

_Choice = tuple[Workload, int, int, int]  # workload, demand, passes, length


def arrivals(jobs: int, jobs_per_hour: float, random: Random) -> list[float]:
    """Draw Poisson arrivals in whole seconds, as the authors' generator does.

    Args:
        jobs: How many.
        jobs_per_hour: Their mean rate.
        random: What draws.

    Returns:
        The times in seconds, rising.

    Raises:
        SpecError: If the rate is not above 0 or there is no job.
    """
    if not 0 < jobs_per_hour < float("inf") or jobs < 1:
        raise SpecError(f"{jobs} jobs at {jobs_per_hour} an hour is not possible; give at least one and a rate above 0")
    now, times = 0.0, []
    for _ in range(jobs):
        now += floor(-log(1.0 - random.random()) * 3600.0 / jobs_per_hour)
        times.append(now)
    return times


@cache
def paper_choices() -> tuple[_Choice, ...]:
    """List the jobs that the paper's generator draws from: its table, as far as ours take 3 to 25 minutes.

    Returns:
        Workload, demand, passes a device and length of each.
    """
    wide = tuple(range(1, 9))
    table = {
        "CIFAR-10 ResNet-56 b64": ((1,), (1,), (10, 20)),
        "CIFAR-10 ResNet-56 b128": ((1,), (1,), (10, 20)),
        "ImageNet ResNet-50 b256": ((1, 2, 4, 8), (1, 2, 4), (1, 2, 3)),
        "BERT-BASE CoLA b8": (wide, (1, 2), (10, 20)),
        "BERT-BASE SST-2 b8": (wide, (1, 2), (1, 2)),
        "Transformer WMT b4096": (wide, (1, 2), (500, 1000)),
    }
    known = workloads()
    every = ((known[name], *choice) for name, axes in table.items() for choice in product(*axes))
    return tuple(
        (workload, demand, passes, length)
        for workload, demand, passes, length in every
        if SHORTEST_S <= duration_s(workload, demand=demand, passes=passes, length=length) <= LONGEST_S
    )


def poisson_trace(
    jobs_per_hour: float, *, jobs: int = 20, seed: int = 0, devices: int = 8, costs: Costs | None = None
) -> Trace:
    """Draw a trace as the paper's generator does: Poisson arrivals, a job of its table, a priority of 1, 5 or 10.

    Args:
        jobs_per_hour: The mean rate of arrivals.
        jobs: How many.
        seed: Of the draw; the same seed gives the same trace.
        devices: The cluster, of V100s; jobs that demand more are not drawn.
        costs: What changes of size cost; None: as in the published run of twenty jobs.

    Returns:
        The trace.
    """
    random = Random(seed)
    choices = [choice for choice in paper_choices() if choice[1] <= devices]
    drawn = []
    for at, arrival in enumerate(arrivals(jobs, jobs_per_hour, random)):
        workload, demand, passes, length = random.choice(choices)
        drawn.append(
            workload_job(
                workload,
                name=f"J{at}",
                arrival_s=arrival,
                priority=float(random.choice(PRIORITIES)),
                demand=demand,
                passes=passes,
                length=length,
            )
        )
    return Trace(
        name=f"poisson-{jobs_per_hour:g}-seed{seed}",
        jobs=tuple(drawn),
        devices=cluster_of(devices),
        costs=costs or named_trace("paper-20").costs,
    )


@cache
def _profiles() -> dict[str, dict[str, float]]:
    """Read the best published rate of one device, by workload and kind."""
    profiles: dict[str, dict[str, float]] = {}
    text = (files("vfnb.simulation") / "profiles.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        profiles.setdefault(row["workload"], {})[row["kind"]] = float(row["rate_per_device"])
    return profiles


def mixed_trace(jobs_per_hour: float, *, jobs: int = 20, seed: int = 0, costs: Costs | None = None) -> Trace:
    """Draw a trace for several kinds of devices, after the paper's simulation of Gavel: 4 V100, 8 P100, 16 K80.

    Each job trains one of four workloads, uses up to 16 devices and scales in proportion within a kind; it lasts
    300 to 1500 s on the kind of the cluster that is best for it. Lengths and demands are our assumption: the paper's
    traces are not public.

    Args:
        jobs_per_hour: The mean rate of arrivals.
        jobs: How many.
        seed: Of the draw; the same seed gives the same trace.
        costs: What changes of size cost; None: nothing.

    Returns:
        The trace.
    """
    random, cluster = Random(seed), MIXED_CLUSTER
    drawn = []
    for at, arrival in enumerate(arrivals(jobs, jobs_per_hour, random)):
        alone = _profiles()[random.choice(sorted(_profiles()))]
        best = max(rate * cluster[kind] for kind, rate in alone.items())
        drawn.append(
            TraceJob(
                name=f"J{at}",
                arrival_s=arrival,
                demand=16,
                duration_s=random.uniform(300, 1500),
                priority=float(random.choice(PRIORITIES)),
                rates=Scaling(
                    tuple((kind, cluster[kind], rate * cluster[kind] / best) for kind, rate in alone.items())
                ),
            )
        )
    return Trace(
        name=f"mixed-{jobs_per_hour:g}-seed{seed}",
        jobs=tuple(drawn),
        devices=cluster_of(cluster),
        costs=costs or Costs(),
    )
