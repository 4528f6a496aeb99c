"""Scheduling policies in the simulator: paired differences over seeds, mixtures under load, and the simulator's speed.

python benchmarks/scheduling.py report    our policy against the others on seeds that nothing was tuned on
python benchmarks/scheduling.py tune      the same on the tuning seeds, for several tastes
python benchmarks/scheduling.py mixed     Gavel with and without heterogeneous allocations, over arrival rates
python benchmarks/scheduling.py speed     10,000 jobs on 1,000 devices on one core
"""

import sys
import time
from collections.abc import Callable, Sequence
from itertools import product
from math import sqrt
from statistics import mean, stdev

from vfnb.planning import Policy, find_policy
from vfnb.planning.scheduling.elastic import Taste, elastic
from vfnb.simulation import Outcome, Trace, mixed_trace, poisson_trace, simulate

TUNING, REPORTING = range(20), range(100, 120)
RATES = (8, 10, 12)
T_95_19 = 2.093  # Student's t for 20 pairs
FIGURES: dict[str, Callable[[Outcome], float]] = {
    "mean completion": lambda outcome: outcome.mean_completion_s,
    "makespan": lambda outcome: outcome.makespan_s,
    "weighted completion": lambda outcome: outcome.weighted_completion_s,
    "longest completion": lambda outcome: max(job.completion_s for job in outcome.jobs),
}


def interval(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """Say the mean paired difference in per cent of theirs, with its 95 % interval."""
    whole = mean(theirs)
    differences = [(a - b) / whole * 100 for a, b in zip(ours, theirs, strict=True)]
    half = T_95_19 * stdev(differences) / sqrt(len(differences))
    return f"{mean(differences):+6.1f} % ({mean(differences) - half:+.1f} to {mean(differences) + half:+.1f})"


def outcomes(traces: Sequence[Trace], policy: str | Policy) -> list[Outcome]:
    """Run every trace."""
    return [simulate(trace, policy) for trace in traces]


def report(seeds: Sequence[int], policy: str | Policy = "elastic") -> None:
    """Print our policy's paired differences to the others."""
    for rate in RATES:
        traces = [poisson_trace(rate, seed=seed) for seed in seeds]
        ours = outcomes(traces, policy)
        for rival in ("wfs", "wfs-srtf", "priority-backfill", "priority"):
            theirs = outcomes(traces, rival)
            for name, figure in FIGURES.items():
                a, b = [figure(each) for each in ours], [figure(each) for each in theirs]
                print(
                    f"{rate:3d} jobs/h  {rival:17s}  {name:19s}  "
                    f"{mean(a):6.0f} against {mean(b):6.0f} s  {interval(a, b)}"
                )


def tune() -> None:
    """Print the figures of several tastes on the tuning seeds."""
    for short, urgent, worth in product((0.0, 0.25, 0.5, 1.0), (0.0, 0.25, 0.5, 1.0), (0.0, 1.0)):
        policy = Policy(name="elastic", decide=elastic(Taste(short=short, urgent=urgent, worth=worth)), elastic=True)
        line = []
        for rate in RATES:
            found = outcomes([poisson_trace(rate, seed=seed) for seed in TUNING], policy)
            line += [f"{mean(figure(each) for each in found):6.0f}" for figure in FIGURES.values()] + ["|"]
        print(f"short {short:4} urgent {urgent:4} worth {worth:3}:", *line, flush=True)


def mixed() -> None:
    """Print what mixtures of kinds gain Gavel, over rates of arrival."""
    for jobs, rate in product((20, 100), (1, 2, 4, 6, 8, 10, 12)):
        traces = [mixed_trace(rate, jobs=jobs, seed=seed) for seed in REPORTING]
        plain = [each.mean_completion_s for each in outcomes(traces, "gavel-max-min")]
        for way in ("widened", "mixed"):
            with_mixtures = [each.mean_completion_s for each in outcomes(traces, f"gavel-max-min-{way}")]
            line = f"{mean(plain):6.0f} -> {mean(with_mixtures):6.0f} s  {interval(with_mixtures, plain)}"
            print(f"{jobs:4d} jobs at {rate:3d}/h  {way:8s}  {line}", flush=True)


def speed() -> None:
    """Print how long 10,000 jobs on 1,000 devices take."""
    # 1000 devices, jobs of about 10 minutes on 4.5: 1100 an hour keep nine devices of ten busy.
    trace = poisson_trace(1100, jobs=10_000, devices=1000)
    for name in ("fifo", "priority", "priority-backfill", "wfs", "wfs-srtf", "elastic"):
        begin = time.perf_counter()
        outcome = simulate(trace, find_policy(name))
        print(f"{name:18s} {time.perf_counter() - begin:6.1f} s; {outcome.summary}", flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["tune"]:
            tune()
        case ["mixed"]:
            mixed()
        case ["speed"]:
            speed()
        case _:
            report(REPORTING)
