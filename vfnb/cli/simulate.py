"""`vfnb simulate`: a policy runs a trace of jobs; a table or JSON, and files to keep."""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from vfnb.ground import SpecError
from vfnb.planning import Costs, policies
from vfnb.simulation import Outcome, Trace, html_report, named_trace, named_traces, read_csv, simulate


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command.

    Args:
        commands: Where to.
    """
    names = ", ".join(policy.name for policy in policies())
    parser = commands.add_parser(
        "simulate",
        help="what a scheduling policy makes of a trace of jobs",
        description="Run a trace of jobs through a scheduling policy, on a manual clock. "
        f"Traces: {', '.join(named_traces())}, or a CSV file with the columns job, arrival_s, demand, priority, "
        f"duration_s. Policies: {names}.",
    )
    parser.add_argument("trace", metavar="TRACE", help="a trace's name, or a CSV file of jobs")
    parser.add_argument("--policy", default="wfs", metavar="NAME", help="the policy (default: wfs)")
    parser.add_argument(
        "--devices", metavar="N", help="how many, or by kind: v100=4,p100=8 (default: the trace's; 4 for a file)"
    )
    for name, what in (
        ("start", "from a job's first devices to its first step"),
        ("grow", "from more devices to their use"),
        ("pause", "without progress at each change"),
    ):
        parser.add_argument(f"--{name}", type=float, metavar="S", help=f"seconds {what} (default: the trace's)")
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON alone; write only with --into")
    parser.add_argument(
        "--into",
        metavar="DIR",
        help="where to write jobs.csv, timeline.csv and report.html (default: vfnb-simulated/TRACE-POLICY)",
    )
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print what came of a trace, and write it where asked.

    Args:
        given: The command's arguments.

    Returns:
        0.
    """
    trace = _trace(given.trace)
    asked = {f"{name}_s": getattr(given, name) for name in ("start", "grow", "pause")}
    costs = replace(trace.costs, **{name: value for name, value in asked.items() if value is not None})
    outcome = simulate(trace, given.policy, devices=_devices(given.devices), costs=costs)
    if given.json:
        print(json.dumps(outcome.plain(), indent=2, allow_nan=False))
    else:
        print(outcome)
    if given.into is not None or not given.json:
        folder = Path(given.into or Path("vfnb-simulated") / f"{Path(given.trace).stem}-{outcome.policy}")
        _write(outcome, costs, folder)
        print(f"written: {folder}/report.html, jobs.csv, timeline.csv", file=sys.stderr)
    return 0


def _trace(word: str) -> Trace:
    if word in named_traces() or not (word.endswith(".csv") or Path(word).exists()):
        return named_trace(word)
    return read_csv(word)


def _devices(word: str | None) -> int | dict[str, int] | None:
    if word is None:
        return None
    try:
        if "=" not in word:
            return int(word)
        return {kind: int(count) for kind, _, count in (part.partition("=") for part in word.split(","))}
    except ValueError as error:
        raise SpecError(f"--devices {word!r} is no number of devices; write it like 4 or v100=4,p100=8") from error


def _write(outcome: Outcome, costs: Costs, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        outcome.table.to_csv(folder / "jobs.csv", index=False)
        outcome.timeline.to_csv(folder / "timeline.csv", index=False)
        (folder / "report.html").write_text(html_report(outcome, costs), encoding="utf-8")
    except OSError as error:
        raise SpecError(f"--into {folder} cannot be written ({error}); give a directory of your own") from error
