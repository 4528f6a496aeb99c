"""How a sweep makes each of its jobs: what all have in common, and what follows from a run's batch, seed and values."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import RLock
from typing import Any

from vfnb.ground import SpecError
from vfnb.numerics import generators_digest, restored_generators, seed_generators, seed_of
from vfnb.runtime import Engine
from vfnb.session.blueprint import Length, draw
from vfnb.session.engines import EngineName
from vfnb.session.growth import layout_of
from vfnb.session.identity import Identity, identity_of
from vfnb.session.job import Job
from vfnb.session.model import Snapshot
from vfnb.session.sweeps.axes import Cell, Point
from vfnb.session.task import Task
from vfnb.spec import Device, Options, VirtualCluster

# Making and trying a job seeds the process's generators: one at a time.
MAKING = RLock()

_NODE = 32  # samples of a virtual node, where nothing is said
_TRIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What the jobs of a sweep have in common. All but `task` may be a function of the batch.

    Args:
        task: A task, or a function of batch, seed and further values that makes one.
        nodes: Virtual nodes, or the cluster itself; None has a node of at most 32 samples each.
        epochs: As for a job.
        steps: As for a job.
        options: As for a job; None keeps one checkpoint.
        engine: As for a job.
    """

    task: Task | Callable[..., Task]
    nodes: Any
    epochs: Any
    steps: Any
    options: Any
    engine: EngineName | Engine

    def cluster(self, batch: int) -> VirtualCluster:
        """Give a batch's virtual cluster.

        Args:
            batch: Its global batch.

        Returns:
            The cluster.

        Raises:
            SpecError: If `nodes` gives something else, or another batch.
        """
        nodes = -(-batch // _NODE) if self.nodes is None else _of(self.nodes, batch)
        if not isinstance(nodes, VirtualCluster):
            return VirtualCluster(accelerator="", count=nodes, global_batch=batch)
        if nodes.global_batch != batch:
            raise SpecError(f"nodes gives a cluster of batch {nodes.global_batch:,} for batch {batch:,}; give it that")
        return nodes

    def length(self, batch: int) -> Length:
        """Give a batch's length.

        Args:
            batch: Its global batch.

        Returns:
            Epochs or steps.
        """
        return Length(epochs=_of(self.epochs, batch), steps=_of(self.steps, batch))

    def options_of(self, batch: int) -> Options:
        """Give a batch's options.

        Args:
            batch: Its global batch.

        Returns:
            The options.
        """
        options = _of(self.options, batch)
        return Options(keep=1) if options is None else options

    def workers(self, cell: Cell) -> int:
        """Count the workers that a run can have.

        Args:
            cell: Its batch and further values.

        Returns:
            How many.
        """
        options = self.options_of(cell.batch)
        at_once = 1 if options.nodes_per_pass == "auto" else options.nodes_per_pass
        return layout_of(self.cluster(cell.batch), options, at_once).most_workers

    def identity(self, point: Point, saved: Identity) -> Identity:
        """Tell what a run would be if it were made now.

        Args:
            point: The run.
            saved: What it was, for what a machine settles by itself.

        Returns:
            Its identity.
        """
        batch = point.cell.batch
        options = self.options_of(batch)
        if options.nodes_per_pass == "auto":
            options = replace(options, nodes_per_pass=saved.options.nodes_per_pass)
        with MAKING, restored_generators():
            task, _ = self._task(point)
            drawn = draw(task, self.cluster(batch), seed=point.seed, length=self.length(batch), options=options)
            return identity_of(drawn, [saved.fields["environment"]["device_kinds"]])

    def measured(self, point: Point) -> list[str]:
        """Name what a run's history will have to be timed by.

        Args:
            point: The run.

        Returns:
            The loss, the evaluation's and the task's metrics.
        """
        with MAKING, restored_generators():
            task, _ = self._task(point)
        parts = task.parts
        return ["loss", *([] if parts.evaluation is None else ["evaluation_loss", *parts.metrics])]

    def job(self, point: Point, *, devices: Sequence[Device], run_dir: Path, after: Path | None = None) -> Job:
        """Make a run's job.

        The kernel's random generators are the user's too, who may draw from them in a cell just then. So what
        draws is made until it comes out the same twice.

        Args:
            point: The run.
            devices: As many as it may have.
            run_dir: Its directory, not there yet.
            after: A checkpoint to go on from.

        Returns:
            The job, not started.
        """
        with MAKING:
            job, drawn = self._made(point, devices, run_dir, after)
            for _ in range(_TRIES if drawn and after is None else 0):
                again, _ = self._made(point, devices, run_dir, after)
                if again.identity == job.identity:
                    break
                job = again
            return job

    def _made(self, point: Point, devices: Sequence[Device], run_dir: Path, after: Path | None) -> tuple[Job, bool]:
        batch, engine = point.cell.batch, self.engine
        with restored_generators():
            task, drawn = self._task(point)
        options, here = self.options_of(batch), tuple(devices)[: self.workers(point.cell)]
        if after is not None:
            return Job.load(after, task, devices=here, engine=engine, run_dir=run_dir, options=options), drawn
        length = self.length(batch)
        job = Job(
            task,
            self.cluster(batch),
            devices=here,
            seed=point.seed,
            epochs=length.epochs,
            steps=length.steps,
            run_dir=run_dir,
            engine=engine,
            options=options,
        )
        return job, drawn

    def _task(self, point: Point) -> tuple[Task, bool]:
        """Get a run's task, made under its seed, so that draws are its own; and whether its weights are drawn."""
        if isinstance(self.task, Task):
            return self.task, not isinstance(self.task.parts.model, Snapshot)
        seed_generators(seed_of(point.seed, "task"))
        before = generators_digest()
        task = self.task(**{name: value for name, value in point.values.items() if _takes(self.task, name)})
        if not isinstance(task, Task):
            raise SpecError(f"the task factory returned a {type(task).__name__}; return a vfnb.Task")
        return task, not isinstance(task.parts.model, Snapshot) or generators_digest() != before


def check_task(task: Any, grid: Sequence[str]) -> None:
    """Refuse what makes no tasks, or none that differ by the further values.

    Args:
        task: A task or a factory.
        grid: The further values' names.

    Raises:
        SpecError: If it cannot be called so.
    """
    if isinstance(task, Task):
        if grid:
            raise SpecError(
                f"grid has {', '.join(grid)}, and task is one Task for all; give a function of "
                f"({', '.join(grid)}) that returns a vfnb.Task"
            )
        return
    if not callable(task):
        raise SpecError(f"task is a {type(task).__name__}; give a vfnb.Task, or a function that returns one")
    unused = [name for name in grid if not _takes(task, name)]
    if unused:
        raise SpecError(f"the task factory takes no {unused[0]!r}, which grid goes over; add it to its arguments")


def _takes(function: Callable[..., Any], name: str) -> bool:
    """Tell whether a function takes an argument by name; one without a signature takes all."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True
    kinds = {one.kind for one in parameters.values()}
    named = name in parameters and parameters[name].kind is not inspect.Parameter.POSITIONAL_ONLY
    return named or inspect.Parameter.VAR_KEYWORD in kinds


def _of(value: Any, batch: int) -> Any:
    return value(batch) if callable(value) else value
