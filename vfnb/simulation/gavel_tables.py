"""Gavel's measured throughputs: a reader for its files, the rates of jobs alone that are kept here, and its generator.

The rates here are those of the project's simulation file, MIT licence (gavel_LICENSE.txt); the rates of Recommendation
are its physical file's, as the other's are off by up to twelve times.
"""

import ast
import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random

from vfnb.ground import SpecError
from vfnb.planning import Costs, Scaling
from vfnb.simulation.generators import arrivals
from vfnb.simulation.trace import Trace, TraceJob, cluster_of

JobType = tuple[str, int]  # a model with its batch a worker, and the number of workers

KINDS = ("k80", "p100", "v100")


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughputs:
    """Steps a second, summed over a job's workers.

    Args:
        alone: By kind of worker and job type, where a job has its devices for itself.
        paired: By kind of worker and two job types that share each device: the rate of the first; empty where the
            file's pairs were not read.
    """

    alone: Mapping[tuple[str, JobType], float]
    paired: Mapping[tuple[str, JobType, JobType], float]

    def rates(self, model: str, demand: int) -> Scaling:
        """Make a job's rates, 1 on its demand of V100s.

        Args:
            model: The model with its batch a worker.
            demand: The number of workers.

        Returns:
            The rates on each kind and number of devices that was measured, up to the demand.

        Raises:
            SpecError: If the job was not measured on V100s.
        """
        whole = self.alone.get(("v100", (model, demand)), 0.0)
        if not whole > 0:
            raise SpecError(f"{model!r} on {demand} V100s is not in the table; take a model and number that are")
        return Scaling(
            tuple(
                (kind, workers, rate / whole)
                for (kind, (name, workers)), rate in sorted(self.alone.items())
                if name == model and workers <= demand and rate > 0 and kind in KINDS
            )
        )


def read_throughputs(path: str | Path) -> Throughputs:
    """Read one of Gavel's throughput files.

    Args:
        path: A JSON file: worker type, job type, other job type or "null", rate or pair of rates.

    Returns:
        The throughputs.

    Raises:
        SpecError: If the file cannot be read, or is none of Gavel's.
    """
    alone: dict[tuple[str, JobType], float] = {}
    paired: dict[tuple[str, JobType, JobType], float] = {}
    try:
        table = json.loads(Path(path).read_text(encoding="utf-8"))
        for worker, jobs in table.items():
            for text, others in jobs.items():
                job = _job_type(text)
                for other, rate in others.items():
                    if other == "null":
                        alone[worker, job] = float(rate)
                    else:
                        paired[worker, job, _job_type(other)] = float(rate[0])
    except (OSError, ValueError, TypeError, AttributeError, IndexError, SyntaxError) as error:
        raise SpecError(f"{path} is no throughput file of Gavel's ({error}); give one of its JSON files") from error
    return Throughputs(alone=alone, paired=paired)


@cache
def gavel_throughputs() -> Throughputs:
    """Tell the rates of jobs alone that are kept here.

    Returns:
        The throughputs, without pairs.
    """
    text = (files("vfnb.simulation") / "gavel.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return Throughputs(
        alone={(row["worker"], (row["model"], int(row["workers"]))): float(row["steps_per_s"]) for row in rows},
        paired={},
    )


def gavel_trace(
    jobs_per_hour: float,
    *,
    jobs: int = 100,
    seed: int = 0,
    devices: Mapping[str, int] | None = None,
    costs: Costs | None = None,
) -> Trace:
    """Draw a trace as Gavel's generator does.

    70, 10, 15 and 5 % of the jobs have 1, 2, 4 and 8 workers; 80 % last 10^U(1.5, 3) minutes on V100s and 20 %
    10^U(3, 4); 20 % have priority 5 and the others 1; arrivals are Poisson.

    Args:
        jobs_per_hour: The mean rate of arrivals.
        jobs: How many.
        seed: Of the draw; the same seed gives the same trace.
        devices: The cluster by kind; None: 36 of each.
        costs: What changes of size cost; None: nothing.

    Returns:
        The trace.
    """
    random, table = Random(seed), gavel_throughputs()
    models: dict[int, list[str]] = {}
    for (kind, (model, workers)), rate in sorted(table.alone.items()):
        if kind == "v100" and rate > 0:
            models.setdefault(workers, []).append(model)
    drawn = []
    for at, arrival in enumerate(arrivals(jobs, jobs_per_hour, random)):
        (demand,) = random.choices((1, 2, 4, 8), (70, 10, 15, 5))
        minutes = 10 ** (random.uniform(1.5, 3) if random.random() < 0.8 else random.uniform(3, 4))
        drawn.append(
            TraceJob(
                name=f"J{at}",
                arrival_s=arrival,
                demand=demand,
                duration_s=60 * minutes,
                priority=5.0 if random.random() < 0.2 else 1.0,
                rates=table.rates(random.choice(models[demand]), demand),
            )
        )
    cluster = cluster_of(devices or dict.fromkeys(KINDS, 36))
    return Trace(name=f"gavel-{jobs_per_hour:g}-seed{seed}", jobs=tuple(drawn), devices=cluster, costs=costs or Costs())


def _job_type(text: str) -> JobType:
    model, workers = ast.literal_eval(text)
    return str(model), int(workers)
