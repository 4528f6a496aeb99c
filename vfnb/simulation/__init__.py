"""A cluster's day on a manual clock: traces, the simulator, and what came of them; no torch."""

from vfnb.simulation.csv_trace import parse_rates, read_csv, write_csv
from vfnb.simulation.gavel_tables import Throughputs, gavel_throughputs, gavel_trace, read_throughputs
from vfnb.simulation.generators import mixed_trace, poisson_trace
from vfnb.simulation.losses import Loss, random_losses
from vfnb.simulation.outcome import Change, JobOutcome, Outcome
from vfnb.simulation.published import named_trace, named_traces
from vfnb.simulation.report import html_report
from vfnb.simulation.simulate import simulate
from vfnb.simulation.trace import Trace, TraceJob

__all__ = [
    "Change",
    "JobOutcome",
    "Loss",
    "Outcome",
    "Throughputs",
    "Trace",
    "TraceJob",
    "gavel_throughputs",
    "gavel_trace",
    "html_report",
    "mixed_trace",
    "named_trace",
    "named_traces",
    "parse_rates",
    "poisson_trace",
    "random_losses",
    "read_csv",
    "read_throughputs",
    "simulate",
    "write_csv",
]
