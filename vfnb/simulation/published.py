"""The published traces by name: the paper's three jobs, as its two runs have them, and its twenty."""

import csv
from dataclasses import replace
from difflib import get_close_matches
from importlib.resources import files

from vfnb.ground import SpecError
from vfnb.planning import Costs
from vfnb.simulation.csv_trace import parse_csv
from vfnb.simulation.trace import Trace, TraceJob, cluster_of
from vfnb.simulation.workloads import workload_job, workloads

# The medians of the authors' logs; the old devices go on while new ones make ready.
_COSTS_3 = Costs(grow_s=50.0)
_COSTS_20 = Costs(start_s=89.0, grow_s=74.0, pause_s=0.68)


def named_traces() -> tuple[str, ...]:
    """List the traces that have names.

    Returns:
        Their names.
    """
    return ("paper-3", "paper-3-published", "paper-20")


def named_trace(name: str) -> Trace:
    """Find a published trace.

    Args:
        name: One of `named_traces()`.

    Returns:
        The trace.

    Raises:
        SpecError: If there is none of that name.
    """
    match name:
        case "paper-3" | "paper-3-published":
            return replace(parse_csv(_text(name), name=name), devices=cluster_of(4), costs=_COSTS_3)
        case "paper-20":
            return Trace(name=name, jobs=_twenty(), devices=cluster_of(8), costs=_COSTS_20)
        case _:
            near = get_close_matches(name, named_traces(), n=1) or named_traces()
            raise SpecError(f"there is no trace {name!r}; did you mean {', '.join(near)}, or a file such as jobs.csv?")


def _twenty() -> tuple[TraceJob, ...]:
    known = workloads()
    return tuple(
        workload_job(
            known[row["workload"]],
            name=f"J{at}",
            arrival_s=float(row["arrival_s"]),
            priority=float(row["priority"]),
            demand=int(row["demand"]),
            passes=int(row["passes"]),
            length=int(row["length"]),
        )
        for at, row in enumerate(csv.DictReader(_text("paper-20").splitlines()))
    )


def _text(name: str) -> str:
    return (files("vfnb.simulation") / f"{name}.csv").read_text(encoding="utf-8")
