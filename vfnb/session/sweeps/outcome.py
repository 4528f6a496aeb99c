"""What came of a run of a sweep so far: its state, its history over all attempts, and its row in the table."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vfnb.ground import SpecError
from vfnb.numerics import Course
from vfnb.session.columns import measured
from vfnb.session.job import Job
from vfnb.session.saved import SavedRun, open_run
from vfnb.session.sweeps.axes import Point
from vfnb.session.sweeps.target import Target
from vfnb.spec import Failed, Row

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a run so far.

    Attributes:
        point: The run.
        state: "waiting", or as of a job.
        complete: Whether it needs no further attempt.
        history: A row a step, over all attempts that went on from each other; None where none has begun.
        course: Which epoch each step is of; None where none has begun.
        nodes: Virtual nodes.
        seconds: That it trained.
        fingerprint: Of the newest step that has one.
        run: Its newest directory's name.
        error: What went wrong, in a line.
    """

    point: Point
    state: str = "waiting"
    complete: bool = False
    history: "pd.DataFrame | None" = None
    course: Course | None = None
    nodes: int = 0
    seconds: float = 0.0
    fingerprint: str | None = None
    run: str = ""
    error: str = ""

    @property
    def metrics(self) -> list[str]:
        """What was evaluated."""
        return [] if self.history is None else measured(self.history)

    def final(self, column: str) -> float:
        """Give the newest value of a column.

        Args:
            column: Of the history.

        Returns:
            The value; nan where there is none.
        """
        if self.history is None or column not in self.history:
            return nan
        values = self.history[column].dropna()
        return nan if values.empty else float(values.iloc[-1])

    @property
    def noise_scale(self) -> float:
        """The median over its steps, in samples; nan where no step could tell."""
        if self.history is None:
            return nan
        return float(self.history["noise_scale"].median())

    def row(self, target: Target | None) -> dict[str, Any]:
        """Make the run's row.

        Args:
            target: What it is timed to.

        Returns:
            Its columns.
        """
        history = self.history
        began = history is not None and not history.empty
        reached = target.first_step(history) if target is not None and history is not None else None
        return {
            **self.point.values,
            "state": self.state,
            "loss": self.final("loss"),
            **{name: self.final(name) for name in self.metrics},
            "steps": int(history["step"].iloc[-1]) if history is not None and began else 0,
            **({} if target is None else {"steps_to_target": reached}),
            "seconds": round(self.seconds, 3),
            "noise_scale": self.noise_scale,
            "nodes": self.nodes,
            "fingerprint": self.fingerprint,
            "run": self.run,
            "error": self.error,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """A run that trains.

    Attributes:
        job: Its job.
        started: Unix seconds.
        earlier: What came of the attempt that it goes on from; None where it began at step 1.
    """

    job: Job
    started: float
    earlier: Outcome | None

    def outcome(self, point: Point) -> Outcome:
        """Tell what came of it so far, from memory.

        Args:
            point: The run.

        Returns:
            The outcome.
        """
        history = self.job.history
        before = self.earlier
        seconds = 0.0 if history.empty else max(0.0, float(history["at"].iloc[-1]) - self.started)
        return Outcome(
            point=point,
            state=self.job.state,
            history=_joined([*([] if before is None or before.history is None else [before.history]), history]),
            course=self.job.course,
            nodes=self.job.cluster.nodes,
            seconds=seconds + (0.0 if before is None else before.seconds),
            run=self.job.run_dir.name,
        )


def from_disk(point: Point, attempts: Sequence[Path], stop_when: Callable[[Row], bool] | None) -> Outcome:
    """Read what came of a run.

    Args:
        point: The run.
        attempts: Its directories, the newest last; one that cannot be read is as if it were not there.
        stop_when: What ends a run before its last step.

    Returns:
        The outcome.
    """
    found: dict[str, SavedRun] = {}
    for path in attempts:
        with suppress(SpecError):
            found[path.name] = open_run(path)
    if not found:
        return Outcome(point=point)
    newest = list(found.values())[-1]
    chain = _chain(newest, found)
    return Outcome(
        point=point,
        state=newest.state,
        complete=newest.state == "done" or (newest.state == "stopped" and _was_to_stop(newest, stop_when)),
        history=_joined([run.history for run in chain]),
        course=_course(newest),
        nodes=newest.cluster.nodes,
        seconds=sum(_seconds(run) for run in chain),
        fingerprint=newest.fingerprint,
        run=newest.run_dir.name,
        error=error_of(newest.events),
    )


def error_of(events: Sequence[Any]) -> str:
    """Say in a line what ended a run.

    Args:
        events: The run's.

    Returns:
        The last line of its failure; "" where it did not fail.
    """
    failures = [event.error for event in events if isinstance(event, Failed)]
    return one_line(failures[-1]) if failures else ""


def one_line(text: str) -> str:
    """Take the line of an error's text that says what it is.

    Args:
        text: Maybe a traceback.

    Returns:
        Its last line.
    """
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def _chain(newest: SavedRun, found: dict[str, SavedRun]) -> list[SavedRun]:
    """Follow a run back over the attempts that it goes on from, the first one first."""
    chain = [newest]
    # RUN/checkpoints/step-N: the names alone count, so that a sweep's directory may be moved.
    while (after := chain[0].resumed) is not None and (earlier := found.get(Path(after).parents[1].name)) is not None:
        if earlier in chain:
            break
        chain.insert(0, earlier)
    return chain


def _joined(histories: Sequence["pd.DataFrame"]) -> "pd.DataFrame":
    """Put attempts' histories after each other; a step that was done again counts as it was done last."""
    import pandas as pd

    filled = [one for one in histories if not one.empty]
    if len(filled) < 2:
        return filled[0] if filled else histories[0]
    whole = pd.concat(filled, ignore_index=True)
    return whole.drop_duplicates("step", keep="last").sort_values("step", ignore_index=True)


def _course(run: SavedRun) -> Course:
    samples, options = int(run.identity.fields["data"]["length"]), run.options
    return Course(samples, run.cluster.global_batch, options.growth, options.drop_last)


def _seconds(run: SavedRun) -> float:
    history = run.history
    return 0.0 if history.empty else max(0.0, float(history["at"].iloc[-1]) - run.started)


def _was_to_stop(run: SavedRun, stop_when: Callable[[Row], bool] | None) -> bool:
    if stop_when is None or run.last is None:
        return False
    try:
        return bool(stop_when(run.last))
    except Exception:  # noqa: BLE001  # the user's function may raise anything; then it did not end this run
        return False
