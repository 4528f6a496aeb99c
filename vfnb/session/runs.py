"""The runs that are on disk, as a table."""

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vfnb.session.journal import read_events, read_rows, state_after
from vfnb.session.processes import runs_still
from vfnb.session.record import EVENTS, FOLDER, RUN, STEPS

if TYPE_CHECKING:
    import pandas as pd

_TAIL = 1 << 16  # bytes of steps.jsonl that hold its newest rows
_COLUMNS = ("name", "state", "step", "steps", "cluster", "started", "path")


def runs(folder: str | Path = FOLDER) -> "pd.DataFrame":
    """List the runs below a folder, the newest first.

    Args:
        folder: Where runs have their directories; by default those of jobs without a `run_dir`.

    Returns:
        A row a run: name, state, step, steps, cluster, started, path. A run whose process is gone before
        it ended reads "crashed"; one whose run.json cannot be read "unreadable".
    """
    import pandas as pd

    found = sorted(_runs(Path(folder)), key=lambda run: run["started"], reverse=True)
    table = pd.DataFrame(found, columns=list(_COLUMNS))
    table["started"] = pd.to_datetime(table["started"], unit="s", utc=True)
    return table


def _runs(folder: Path) -> Iterator[dict[str, Any]]:
    for path in folder.glob(f"*/{RUN}"):
        try:
            head = json.loads(path.read_text(encoding="utf-8"))
            yield _run(path.parent, head)
        except (OSError, ValueError, KeyError, TypeError):
            # Whatever is wrong with one run, the others are still to be seen.
            yield {
                "name": path.parent.name,
                "state": "unreadable",
                "started": path.stat().st_mtime,
                "path": str(path.parent),
            }


def _run(folder: Path, head: dict[str, Any]) -> dict[str, Any]:
    rows = list(read_rows(_tail(folder / STEPS)))
    events = list(read_events(lines_of(folder / EVENTS)))
    return {
        "name": str(head["name"]),
        "state": state_of(head, state_after(events)),
        "step": max([row.step for row in rows] + [event.step for event in events], default=0),
        "steps": int(head["steps"]),
        "cluster": str(head["cluster"]),
        "started": float(head["started"]),
        "path": str(folder),
    }


def state_of(head: dict[str, Any], said: str) -> str:
    """Tell a run's state from its own words and from whether its process is there.

    Args:
        head: What its run.json says.
        said: What follows from its events.

    Returns:
        The state; "crashed" where a run that did not end has no process on this machine.
    """
    if said not in ("running", "paused"):
        return said
    elsewhere = head["host"] != socket.gethostname()
    return said if elsewhere or runs_still(int(head["pid"]), head["born"]) else "crashed"


def lines_of(path: Path) -> list[str]:
    """Read a file's lines.

    Args:
        path: The file.

    Returns:
        Its lines, of which the last may be torn; none where there is no file.
    """
    return path.read_text(encoding="utf-8", errors="replace").split("\n") if path.exists() else []


def _tail(path: Path) -> list[str]:
    if not path.exists():
        return []
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - _TAIL))
        return file.read().decode(errors="replace").split("\n")
