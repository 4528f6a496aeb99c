"""A cluster's day on a manual clock: traces, the simulator, and what came of them; no torch."""

from vfnb.simulation.csv_trace import parse_rates, read_csv, write_csv
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
    "Trace",
    "TraceJob",
    "html_report",
    "named_trace",
    "named_traces",
    "parse_rates",
    "random_losses",
    "read_csv",
    "simulate",
    "write_csv",
]
