"""A run's directory, readable after a crash.

It says what the run is (run.json), what happened to it (events.jsonl), where it was computed (stages.jsonl), and
holds the receipt of it all (receipt.json). Workers write its rows (steps.jsonl).
"""

import json
import os
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vfnb.ground import SpecError
from vfnb.session.environment import code_here, wider_environment
from vfnb.session.processes import started_at
from vfnb.spec import Event, Stage, to_json

RUN, EVENTS, STEPS, STAGES = "run.json", "events.jsonl", "steps.jsonl", "stages.jsonl"
RECEIPT = "receipt.json"
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
        environment: What it is computed with, beyond what its identity has.
        code: The commit of the working folder; None where there is none.
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
    environment: dict[str, str] = field(default_factory=wider_environment)
    code: dict[str, Any] | None = field(default_factory=code_here)


class Record:
    """A run's directory, to write to.

    Args:
        folder: The directory.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._failed = False

    def append(self, told: Event | Stage) -> str | None:
        """Write an event or a stage, so that it is there should the process end now.

        Args:
            told: The event or the stage.

        Returns:
            What went wrong, once; then nothing more is written. None where nothing did.
        """
        if self._failed:
            return None
        where = self.folder / (STAGES if isinstance(told, Stage) else EVENTS)
        try:
            # Opened each time: events are few, and a file that stays open would outlive a forgotten job.
            with where.open("a", encoding="utf-8") as file:
                file.write(to_json(told) + "\n")
        except OSError as error:
            self._failed = True
            return f"events can no longer be written to {where} ({error}); job.events has them all"
        return None

    def keep_receipt(self, text: str) -> None:
        """Write the receipt, whole or not at all; it is made from the rest, so a full disk costs nothing else.

        Args:
            text: JSON.
        """
        with suppress(OSError):
            write_whole(self.folder / RECEIPT, text)

    def heading(self) -> dict[str, Any] | None:
        """Read back what the run is.

        Returns:
            The fields of its heading; None where they cannot be read.
        """
        try:
            found = json.loads((self.folder / RUN).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None


def write_whole(path: Path, text: str) -> None:
    """Write a text under a temporary name, then rename: a reader sees all of it or nothing.

    Args:
        path: The file.
        text: Its text.
    """
    temporary = path.with_name(f".{path.name}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


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
    write_whole(folder / RUN, json.dumps(written, indent=1))
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
