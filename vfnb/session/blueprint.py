"""A job before it runs: task, cluster, seed, length and options, checked together, and their program."""

from dataclasses import dataclass, replace
from typing import Any

from torch import nn

from vfnb.ground import SpecError
from vfnb.numerics import Course
from vfnb.runtime import Program, Source
from vfnb.session.data import collated
from vfnb.session.growth import layout_of
from vfnb.session.loss import Loss, own_loss
from vfnb.session.model import trainable
from vfnb.session.task import Parts, Task
from vfnb.spec import Layout, Options, VirtualCluster

_LOSS = "loss"  # what every evaluation gives besides the task's metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class Blueprint:
    """What a job is, before it has an identity, devices or a place on disk.

    Attributes:
        parts: The task, as it was read.
        cluster: The target.
        layout: Its virtual nodes in blocks.
        seed: Of every random stream.
        steps: The last step's number, from 1.
        options: As the user gave them.
        nodes_per_pass: Virtual nodes computed at once; 1 where "auto" is not settled yet.
        model: With the job's initial weights, on the CPU, in training mode.
        evaluating: Whether the user's model was in evaluation mode.
        loss: Of model and batch.
    """

    parts: Parts
    cluster: VirtualCluster
    layout: Layout
    seed: int
    steps: int
    options: Options
    nodes_per_pass: int
    model: nn.Module
    evaluating: bool
    loss: Loss

    @property
    def train(self) -> Source:
        """The training data under the job's collate."""
        return collated(self.parts.train, self.options.collate)

    @property
    def course(self) -> Course:
        """Which epoch and which samples each step is of."""
        return course_of(self.parts, self.cluster, self.options)

    @property
    def evaluation(self) -> Source | None:
        """The evaluation data in their own order, under the job's collate; None to evaluate nothing."""
        data = self.parts.evaluation
        return None if data is None else collated(data, self.options.collate, shuffle=False)

    def program(self, identity: str) -> Program:
        """Make the program that workers run.

        Args:
            identity: JSON of what the job is.

        Returns:
            The program; it holds no callback of the driver's.
        """
        options = replace(
            self.options,
            collate=None,
            on_event=None,
            loader_workers=self.options.loader_workers or self.parts.train.loader_workers,
        )
        return Program(
            model=self.model,
            loss=self.loss,
            predict=self.parts.predict if self.parts.metrics else None,
            train=self.train,
            evaluation=self.evaluation,
            metrics=self.parts.metrics,
            optimizer=self.parts.optimizer,
            schedule=self.parts.schedule,
            layout=self.layout,
            global_batch=self.cluster.global_batch,
            seed=self.seed,
            steps=self.steps,
            options=options,
            identity=identity,
            nodes_per_pass=self.nodes_per_pass,
        )

    def computing(self, nodes_per_pass: int) -> "Blueprint":
        """Settle how many virtual nodes are computed at once.

        Args:
            nodes_per_pass: How many.

        Returns:
            The same job with the blocks that go with it.
        """
        layout = layout_of(self.cluster, self.options, nodes_per_pass)
        return replace(self, nodes_per_pass=nodes_per_pass, layout=layout)


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """How long a job trains: in epochs or in steps.

    Args:
        epochs: Times that the training data are read; or None.
        steps: The last step's number; or None.

    Raises:
        SpecError: If not exactly one of them is a whole number of at least 1.
    """

    epochs: int | None
    steps: int | None

    def __post_init__(self) -> None:
        given = {name: value for name in ("epochs", "steps") if (value := getattr(self, name)) is not None}
        if len(given) != 1:
            raise SpecError(f"epochs={self.epochs} and steps={self.steps}: give exactly one of them, such as epochs=3")
        for name, value in given.items():
            check_whole(name, value, least=1)

    def in_steps(self, course: Course) -> int:
        """Count the steps.

        Args:
            course: Through the training data.

        Returns:
            The last step's number.
        """
        return self.steps if self.steps is not None else course.steps_of(self.epochs or 0)


def draw(task: Task, cluster: VirtualCluster, *, seed: int, length: Length, options: Options) -> Blueprint:
    """Draw a job's blueprint; this makes its model.

    Args:
        task: What to learn.
        cluster: The target.
        seed: Of every random stream.
        length: How long.
        options: The rarer choices.

    Returns:
        The blueprint.

    Raises:
        SpecError: If one of them is of the wrong kind, or they do not fit together.
    """
    _check_kinds(task=(task, Task), cluster=(cluster, VirtualCluster), options=(options, Options))
    check_whole("seed", seed, least=0)
    parts = task.parts
    _check_evaluation(parts, options)
    steps = length.in_steps(course_of(parts, cluster, options))
    at_once = 1 if options.nodes_per_pass == "auto" else options.nodes_per_pass
    layout = layout_of(cluster, options, at_once)
    model = parts.model.build(seed)
    evaluating = not model.training
    return Blueprint(
        parts=parts,
        cluster=cluster,
        layout=layout,
        seed=seed,
        steps=steps,
        options=options,
        nodes_per_pass=at_once,
        model=trainable(model),
        evaluating=evaluating,
        loss=own_loss(model) if parts.loss is None else parts.loss,
    )


def course_of(parts: Parts, cluster: VirtualCluster, options: Options) -> Course:
    """Say how a job goes through its training data; a SpecError says that an epoch's only batch would be dropped.

    Args:
        parts: With the data.
        cluster: With the first batch.
        options: With the later ones.

    Returns:
        The course.
    """
    samples = len(parts.train.source.dataset)
    return Course(samples, cluster.global_batch, options.growth, options.drop_last)


def check_whole(name: str, value: object, *, least: int) -> None:
    """Refuse what is not a whole number of at least `least`.

    Args:
        name: What the number is called where the user wrote it.
        value: The value given.
        least: The smallest number allowed.

    Raises:
        SpecError: If `value` is no int (a bool is none), or is smaller.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise SpecError(f"{name}={value!r} is not possible; give a whole number of at least {least}")


def _check_kinds(**given: tuple[Any, type]) -> None:
    for name, (value, kind) in given.items():
        if not isinstance(value, kind):
            remedy = ".parse('1024xTPUv3', global_batch=32768)" if kind is VirtualCluster else "(...)"
            raise SpecError(f"{name} is a {type(value).__name__}; give vfnb.{kind.__name__}{remedy}")


def _check_evaluation(parts: Parts, options: Options) -> None:
    measured = {_LOSS, *parts.metrics} if parts.evaluation is not None else set()
    best = options.keep_best
    if best is not None and best.removeprefix("-") not in measured:
        has = f"has {', '.join(sorted(measured))}" if measured else "evaluates nothing: give evaluate= to the task"
        raise SpecError(f"keep_best={best!r} is not measured; the task {has}")
    if options.evaluate_every is not None and parts.evaluation is None:
        raise SpecError(f"evaluate_every={options.evaluate_every} has nothing to evaluate; give evaluate= to the task")
