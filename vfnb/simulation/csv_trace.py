"""Traces as CSV: a row a job, read and written."""

import csv
import io
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from vfnb.ground import SpecError
from vfnb.planning import Costs, Scaling
from vfnb.simulation.trace import Trace, TraceJob, cluster_of

NEEDED = ("job", "arrival_s", "demand", "priority", "duration_s")
OPTIONAL = ("rates", "deadline_s")


def read_csv(path: str | Path, *, devices: int | dict[str, int] = 4, costs: Costs | None = None) -> Trace:
    """Read a trace from a file.

    Columns: job, arrival_s, demand, priority, duration_s (seconds where the rate is 1), and optionally
    rates (such as "1:0.4 2:0.7 4:1" or "v100*4:1 p100*8:0.9"; without it a job scales in proportion,
    with rate 1 at its demand) and deadline_s. Other columns are ignored.

    Args:
        path: The file.
        devices: The cluster it is for.
        costs: What changes of size cost; None: nothing.

    Returns:
        The trace, with its jobs in the order of arrival.

    Raises:
        SpecError: If the file cannot be read, a column is missing, or a value cannot be.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"{path} cannot be read ({error}); give a CSV file of jobs") from error
    return replace(parse_csv(text, name=str(path)), devices=cluster_of(devices), costs=costs or Costs())


def parse_csv(text: str, *, name: str) -> Trace:
    """Make a trace of CSV text; columns as `read_csv` has them.

    Args:
        text: The text, with a line of column names.
        name: What errors call it.

    Returns:
        The trace, with its jobs in the order of arrival.

    Raises:
        SpecError: If a column is missing, or a value cannot be.
    """
    rows = csv.DictReader(io.StringIO(text))
    missing = [column for column in NEEDED if column not in (rows.fieldnames or ())]
    if missing:
        raise SpecError(f"{name} has no column {', '.join(missing)}; it needs {', '.join(NEEDED)}")
    jobs = [_job(row, f"{name}, line {rows.line_num}") for row in rows]
    return Trace(name=name, jobs=tuple(sorted(jobs, key=lambda job: job.arrival_s)))


def write_csv(jobs: Iterable[TraceJob], path: str | Path) -> None:
    """Write jobs to a file that `read_csv` reads back to the same jobs.

    Args:
        jobs: The jobs.
        path: The file; one that is there is replaced.

    Raises:
        SpecError: If a job's rates are a function of the user's, which no file can hold.
    """
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow((*NEEDED, *OPTIONAL))
        for job in jobs:
            if not (job.rates is None or isinstance(job.rates, Scaling)):
                raise SpecError(
                    f"{job.name} has a function for rates, which a file cannot hold; give it vfnb's Scaling"
                )
            deadline = "" if job.deadline_s is None else repr(job.deadline_s)
            numbers = (repr(job.arrival_s), job.demand, repr(job.priority), repr(job.duration_s))
            rows.writerow((job.name, *numbers, "" if job.rates is None else rates_text(job.rates), deadline))


def rates_text(rates: Scaling) -> str:
    """Write rates as the column `rates` has them.

    Args:
        rates: The rates.

    Returns:
        The text.
    """
    points = (f"{kind}*{count}:{rate!r}" if kind else f"{count}:{rate!r}" for kind, count, rate in rates.points)
    return " ".join((*points, f"mixing:{rates.mixing!r}"))


def parse_rates(text: str, *, name: str = "rates") -> Scaling:
    """Read rates as the column `rates` has them.

    Args:
        text: Such as "1:0.4 2:0.7 4:1" or "v100*4:1 p100*8:0.9 mixing:0.95", where `mixing` is the share of
            the summed rates that a set of several kinds keeps.
        name: What errors call it.

    Returns:
        The rates.

    Raises:
        SpecError: If it is no such text.
    """
    points, mixing = [], {}
    for word in text.split():
        where, _, rate = word.partition(":")
        kind, _, count = where.rpartition("*")
        try:
            if where == "mixing":
                mixing["mixing"] = float(rate)
            else:
                points.append((kind, int(count), float(rate)))
        except ValueError as error:
            raise SpecError(f"{name}: {word!r} is no rate; write it like 4:1.0 or v100*4:1.0") from error
    return Scaling(tuple(points), **mixing)


def _job(row: dict[str, str], where: str) -> TraceJob:
    rates = (row.get("rates") or "").strip()
    due = (row.get("deadline_s") or "").strip()
    return TraceJob(
        name=row["job"].strip(),
        arrival_s=_number(row, "arrival_s", where),
        demand=_whole(row, "demand", where),
        duration_s=_number(row, "duration_s", where),
        priority=_number(row, "priority", where),
        rates=parse_rates(rates, name=where) if rates else None,
        deadline_s=_number(row, "deadline_s", where) if due else None,
    )


def _number(row: dict[str, str], column: str, where: str) -> float:
    try:
        return float(row[column])
    except (TypeError, ValueError) as error:
        raise SpecError(f"{where}: {column}={row[column]!r} is no number; give one") from error


def _whole(row: dict[str, str], column: str, where: str) -> int:
    try:
        return int(row[column])
    except (TypeError, ValueError) as error:
        raise SpecError(f"{where}: {column}={row[column]!r} is no whole number; give one") from error
