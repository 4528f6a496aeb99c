"""A run's directory: what it is (run.json) and what happened to it (events.jsonl), readable after a crash."""

import json
import os
import socket
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vfnb.ground import SpecError
from vfnb.session.processes import started_at
from vfnb.spec import Event, to_json

RUN, EVENTS, STEPS = "run.json", "events.jsonl", "steps.jsonl"
VERSION = 1
FOLDER = Path("vfnb-runs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """What a run is, as its directory says; the process is this one unless told otherwise.

    Attributes:
        name: The run's.
        started: Unix seconds.
        cluster: As it is printed.
        steps: The last step's number.
        devices: That it begins on, as they are printed.
        identity: The job's, as fields.
        resumed: The checkpoint that it goes on from; None where it begins at step 1.
        pid: The driver's process.
        born: When that process started, on the machine's own scale; None where it cannot be known.
        host: The machine.
    """

    name: str
    started: float
    cluster: str
    steps: int
    devices: tuple[str, ...]
    identity: dict[str, Any]
    resumed: str | None
    pid: int = field(default_factory=os.getpid)
    born: float | None = field(default_factory=lambda: started_at(os.getpid()))
    host: str = field(default_factory=socket.gethostname)


class Record:
    """A run's directory, to write to.

    Args:
        folder: The directory.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._failed = False

    def append(self, event: Event) -> str | None:
        """Write an event, so that it is there should the process end now.

        Args:
            event: The event.

        Returns:
            What went wrong, once; then nothing more is written. None where nothing did.
        """
        if self._failed:
            return None
        where = self.folder / EVENTS
        try:
            # Opened each time: events are few, and a file that stays open would outlive a forgotten job.
            with where.open("a", encoding="utf-8") as file:
                file.write(to_json(event) + "\n")
        except OSError as error:
            self._failed = True
            return f"events can no longer be written to {where} ({error}); job.events has them all"
        return None


def create(folder: Path, head: Heading) -> Record:
    """Make a run's directory, whole or not at all.

    Args:
        folder: Must not be there.
        head: What the run is.

    Returns:
        The directory, to write to.

    Raises:
        SpecError: If it is there.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir()
    except FileExistsError as error:
        raise SpecError(exists(folder)) from error
    written = {"version": VERSION, **{name: getattr(head, name) for name in Heading.__dataclass_fields__}}
    temporary = folder / f".{RUN}"
    temporary.write_text(json.dumps(written, indent=1), encoding="utf-8")
    temporary.replace(folder / RUN)
    return Record(folder)


def exists(folder: Path) -> str:
    """Say that a run's directory is there already.

    Args:
        folder: The directory.

    Returns:
        A sentence with what to do.
    """
    return (
        f"there is a run in {folder} already; vfnb.Job.load({str(folder)!r}, task) goes on from its newest "
        f"checkpoint, another name= or run_dir= begins a new run"
    )
