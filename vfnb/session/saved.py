"""A run as its directory tells of it: finished, crashed, or at work in another kernel; read only."""

import json
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vfnb.figures import snapshot
from vfnb.ground import SpecError
from vfnb.session.identity import Identity
from vfnb.session.journal import replay
from vfnb.session.ledger import Ledger
from vfnb.session.receipt import receipt_of
from vfnb.session.record import EVENTS, FOLDER, RUN, STAGES, STEPS
from vfnb.session.runs import lines_of, state_of
from vfnb.spec import Event, Options, Row, Stage, VirtualCluster

if TYPE_CHECKING:
    import pandas as pd

_DIGITS = 12


def open_run(path: str | Path) -> "SavedRun":
    """Read a run from its directory; another process may be training it.

    Args:
        path: The directory, or a run's name below `vfnb-runs`.

    Returns:
        The run as it is on disk now; open it again for what was added since.

    Raises:
        SpecError: If there is no run, or its run.json cannot be read.
    """
    folder = Path(path).absolute()
    if not (folder / RUN).exists() and (FOLDER / path / RUN).exists():
        folder = (FOLDER / path).absolute()
    try:
        head = json.loads((folder / RUN).read_text(encoding="utf-8"))
        said = replay(*(lines_of(folder / name) for name in (STEPS, EVENTS, STAGES)))
        return SavedRun(folder, head, said)
    except FileNotFoundError as error:
        raise SpecError(f"there is no run in {folder}; vfnb.runs() lists the runs that are here") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SpecError(
            f"the run in {folder} cannot be read ({type(error).__name__}: {error}); is its {RUN} damaged?"
        ) from error


class SavedRun:
    """What a run left on disk, in the words of a `Job`; `open_run` makes it.

    Args:
        folder: Its directory.
        head: What its run.json says.
        ledger: What the other files say.

    Attributes:
        name: The run's.
        run_dir: Its directory.
        steps: The last step's number.
        started: Unix seconds.
        resumed: The checkpoint that it went on from; None where it began at step 1.
        state: "done", "stopped", "failed", "running", "paused", or "crashed" where its process is gone.
    """

    def __init__(self, folder: Path, head: dict[str, Any], ledger: Ledger) -> None:
        self._head, self._ledger = head, ledger
        self.run_dir, self.name = folder, str(head["name"])
        self.steps, self.started, self.resumed = int(head["steps"]), float(head["started"]), head["resumed"]
        self.state = state_of(head, ledger.status.state)
        self._target = str(head["cluster"])

    @property
    def cluster(self) -> VirtualCluster:
        """The target."""
        return self.identity.cluster

    @property
    def options(self) -> Options:
        """The rarer choices, without their functions."""
        return self.identity.options

    @property
    def identity(self) -> Identity:
        """What the job is."""
        return Identity(self._head["identity"])

    @property
    def history(self) -> "pd.DataFrame":
        """A row a committed step, as `Job.history` has it; the caller's own."""
        return self._ledger.history()

    @property
    def last(self) -> Row | None:
        """The newest row; None before the first."""
        return self._ledger.last

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened, in order."""
        return self._ledger.events

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The mappings that the run went through: step, devices, mapping."""
        return self._ledger.stages

    @property
    def fingerprint(self) -> str | None:
        """The newest fingerprint on disk: the last step's where the run ended; None where there is none yet."""
        return self.fingerprints.get(max(self.fingerprints, default=0))

    @cached_property
    def fingerprints(self) -> dict[int, str]:
        """Every fingerprint on disk, by step."""
        return self._ledger.fingerprints

    @property
    def fingerprint_notes(self) -> tuple[str, ...]:
        """Why another run of this job may have another fingerprint; empty where the bits are promised."""
        return self._ledger.notes

    @property
    def metrics(self) -> dict[str, float]:
        """The newest value of each metric that was evaluated."""
        return self._ledger.measured

    @property
    def receipt(self) -> dict[str, Any]:
        """All that the bits depend on, the fingerprints and mappings, a citation and a methods paragraph."""
        return receipt_of(self._head, self._ledger)

    def save_history(self, path: str | Path) -> Path:
        """Write the history as a table.

        Args:
            path: A file whose name ends in .csv or .parquet.

        Returns:
            Its absolute path.

        Raises:
            SpecError: If it has another ending, or Parquet needs a package that is not installed.
        """
        file = Path(path).absolute()
        if file.suffix == ".csv":
            self.history.to_csv(file, index=False)
        elif file.suffix == ".parquet":
            try:
                self.history.to_parquet(file, index=False)
            except ImportError as error:
                raise SpecError("Parquet needs pyarrow, which is not installed: pip install pyarrow") from error
        else:
            raise SpecError(f"a history cannot be written to {file.name!r}; give a name ending in .csv or .parquet")
        return file

    def __repr__(self) -> str:
        said = [f"step {self._ledger.step:,} of {self.steps:,}"]
        if self._ledger.last is not None:
            said.append(f"loss {self._ledger.last.loss:.4g}")
        if self.fingerprint is not None:
            said.append(f"fingerprint {self.fingerprint[:_DIGITS]}... at step {max(self.fingerprints):,}")
        return f"<SavedRun {self.name!r}, {self.state}: {', '.join([*said, self._target])}>"

    def _repr_html_(self) -> str:
        history = self.history
        facts = {
            "run": self.name,
            "target": self._target,
            "state": self.state,
            "step": f"{self._ledger.step:,} of {self.steps:,}",
            **_final(history, self.metrics),
            "mapping": "" if not self.stages else str(self.stages[-1]),
            "fingerprint": _stamped(self.fingerprints),
            "remarks": "; ".join(self.fingerprint_notes),
            "folder": str(self.run_dir),
        }
        return snapshot(facts, history["step"].tolist(), history["loss"].tolist(), self.events)


def _final(history: "pd.DataFrame", metrics: dict[str, float]) -> dict[str, str]:
    if history.empty:
        return {}
    said = {"loss": f"{history['loss'].iloc[-1]:.4g}"}
    said |= {f"evaluation, {name}": f"{value:.4g}" for name, value in metrics.items()}
    return said | {"throughput": f"{history['samples_per_second'].median():,.0f} samples/s (median)"}


def _stamped(fingerprints: dict[int, str]) -> str:
    if not fingerprints:
        return ""
    step = max(fingerprints)
    return f"{fingerprints[step]} (step {step:,})"
