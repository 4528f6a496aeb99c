"""Everything that a job says of itself at one moment, as a value: what the drawing is made of."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from vfnb.notebook.panel.thinning import Numbers
from vfnb.numerics import Course
from vfnb.runtime import Sign, State, Worker
from vfnb.session import Job
from vfnb.spec import Event, Mapping, NodesPerPassChosen, NodesPerPassHalved

ENDED = ("done", "stopped", "failed")
_ROW = ("step", "epoch", "loss", "lr", "samples", "samples_per_second", "noise_scale", "at")
_NOT_MEASURED = {*_ROW, "workers", "grad_norm", "skipped"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a job says.

    Attributes:
        name: The job's.
        target: Its virtual cluster, as it is printed.
        batch: The global batch.
        run_dir: Where its workers' output is.
        steps: The last step's number.
        course: Which epoch and which samples each step is of.
        nodes_per_pass: Virtual nodes in one pass.
        state: Where it stands, in a word.
        workers: The live ones.
        mapping: Virtual nodes to workers; None before the start and after the end.
        activity: What each worker does right now.
        events: What happened.
        columns: The history: an array a column, a number a committed step.
        now: Unix seconds.
    """

    name: str
    target: str
    batch: int
    run_dir: Path
    steps: int
    course: Course
    nodes_per_pass: int = 1
    state: State
    workers: tuple[Worker, ...] = ()
    mapping: Mapping | None = None
    activity: dict[int, Sign] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    columns: dict[str, Numbers] = field(default_factory=dict)
    now: float = 0.0

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ENDED

    @property
    def step(self) -> int:
        """The last committed step in the history."""
        steps = self.column("step")
        return int(steps[-1]) if len(steps) else 0

    @property
    def metrics(self) -> tuple[str, ...]:
        """What evaluations measure, the loss left out."""
        return tuple(name for name in self.columns if name not in _NOT_MEASURED and name != "evaluation_loss")

    def column(self, name: str) -> Numbers:
        """Give a column of the history.

        Args:
            name: Its name.

        Returns:
            Its numbers; none where there is no such column.
        """
        return self.columns.get(name, np.empty(0))


def read(job: Job, now: float) -> Told:
    """Ask a job for what it says now; nothing of it waits.

    Args:
        job: Which.
        now: Unix seconds.

    Returns:
        The moment.
    """
    state = job.state  # first: what is read after an end is complete
    frame = job.history
    return Told(
        name=job.name,
        target=str(job.cluster),
        batch=job.cluster.global_batch,
        run_dir=job.run_dir,
        steps=job.steps,
        course=job.course,
        nodes_per_pass=_at_once(job),
        state=state,
        workers=job.workers,
        mapping=job.mapping,
        activity=job.activity,
        events=job.events,
        columns={str(name): frame[name].to_numpy() for name in frame.columns},
        now=now,
    )


def step_seconds(told: Told) -> float | None:
    """Say what a step takes of late, pauses left out.

    Args:
        told: By the job.

    Returns:
        The median of the newest steps, in seconds; None before there are any.
    """
    samples, speed = told.column("samples")[-20:], told.column("samples_per_second")[-20:]
    known = np.isfinite(speed) & (speed > 0)
    return float(np.median(samples[known] / speed[known])) if known.any() else None


def _at_once(job: Job) -> int:
    """Give the virtual nodes of a pass: what "auto" was settled to, or was halved to since."""
    for event in reversed(job.events):
        if isinstance(event, NodesPerPassChosen | NodesPerPassHalved):
            return event.nodes_per_pass
    return 1 if job.options.nodes_per_pass == "auto" else job.options.nodes_per_pass
