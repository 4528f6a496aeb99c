"""A job in one line and as a small table, for whoever prints it."""

from html import escape

from vfnb.runtime import Status
from vfnb.spec import Row

_DIGITS = 12


def line(name: str, status: Status, last: Row | None, steps: int, target: str) -> str:
    """Say where a job stands.

    Args:
        name: The job's.
        status: Where it stands.
        last: Its newest row; None before the first.
        steps: Its last step's number.
        target: The virtual cluster, as it is printed.

    Returns:
        One line.
    """
    said = [f"step {status.step:,} of {steps:,}"]
    if last is not None:
        said.append(f"loss {last.loss:.4g}")
    if status.workers:
        said.append(f"{len(status.workers)} {'worker' if len(status.workers) == 1 else 'workers'}")
    return f"<Job {name!r}, {status.state}: {', '.join([*said, target])}>"


def table(name: str, status: Status, last: Row | None, steps: int, target: str, fingerprint: str | None) -> str:
    """Draw a job as a table.

    Args:
        name: The job's.
        status: Where it stands.
        last: Its newest row; None before the first.
        steps: Its last step's number.
        target: The virtual cluster, as it is printed.
        fingerprint: As far as it is known without asking the workers.

    Returns:
        HTML that needs no script.
    """
    workers = ", ".join(f"{one.device} ({one.virtual_nodes:,} virtual nodes)" for one in status.workers)
    rows = {
        "run": name,
        "target": target,
        "state": status.state,
        "step": f"{status.step:,} of {steps:,}",
        "loss": "" if last is None else f"{last.loss:.4g}",
        "workers": workers,
        "fingerprint": "" if fingerprint is None else f"{fingerprint[:_DIGITS]}...",
        "failure": "" if status.failure is None else str(status.failure),
    }
    cells = "".join(
        f'<tr><th style="text-align:left">{head}</th><td style="text-align:left">{escape(text)}</td></tr>'
        for head, text in rows.items()
        if text
    )
    return f"<table>{cells}</table>"
