"""A recipe at one scale, made into what a Job needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from torch import nn
from torch.optim import SGD, Adam, AdamW, Optimizer

from vfnb.ground import SpecError
from vfnb.papers.lamb import Lamb, matrices_and_rest
from vfnb.papers.lars import lars
from vfnb.papers.rates import linear_rate, sqrt_rate
from vfnb.papers.recipe import Recipe, Version
from vfnb.papers.schedules import Schedule, warmup_constant, warmup_cosine, warmup_polynomial, warmup_step
from vfnb.papers.sets import DATA, MODELS, Source
from vfnb.session import Job, Task
from vfnb.spec import Options, VirtualCluster

OPTIMIZERS: Mapping[str, Callable[..., Any]] = {
    "adam": partial(partial, Adam),
    "adamw": partial(partial, AdamW),
    "lamb": partial(partial, Lamb),
    "lars": lars,
    "sgd": partial(partial, SGD),
}
SCHEDULES: Mapping[str, Callable[..., Schedule]] = {
    "constant": warmup_constant,
    "cosine": warmup_cosine,
    "polynomial": warmup_polynomial,
    "step": warmup_step,
}
RULES: Mapping[str, Callable[..., float]] = {"linear": linear_rate, "square-root": sqrt_rate}


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A recipe that can be run: `vfnb.Job(one.task, one.cluster, **one.settings)`, or `one.job()`.

    Attributes:
        task: What to learn.
        cluster: The target.
        settings: What a Job needs beside: its length and options.
        version: What it was made from, with the batch that was asked for.
        lr: The rate at the schedule's top.
    """

    task: Task
    cluster: VirtualCluster
    settings: Mapping[str, Any]
    version: Version
    lr: float

    def job(self, **more: Any) -> Job:
        """Make a job.

        Args:
            **more: What else `vfnb.Job` takes, such as devices=2 or seed=1; it goes before the recipe's own settings.

        Returns:
            The job, not started.
        """
        settings = dict(self.settings)
        if {"epochs", "steps"} & more.keys():
            settings = {name: value for name, value in settings.items() if name not in ("epochs", "steps")}
        return Job(self.task, self.cluster, **(settings | more))


def experiment(recipe: Recipe, scale: str, *, batch: int | None, source: Source) -> Experiment:
    """Make what a Job needs.

    Args:
        recipe: The recipe.
        scale: "binder", "gpu" or "full".
        batch: Another global batch than the recipe's; the rate, the steps and the virtual nodes follow it. None keeps
            the recipe's.
        source: Where the user's own data and weights lie.

    Returns:
        The experiment.
    """
    version = recipe.version(scale)
    version = version if batch is None else _at(version, batch)
    where = f"recipe {recipe.name}"
    lr = _rate(version, where)
    sets = _named("data", DATA, version.data, where)(source)
    task = Task(
        _named("model", MODELS, version.model, where)(source),
        sets.train,
        sets.loss,
        _optimizer(version, lr, where),
        schedule=_schedule(version, lr, where),
        evaluate=sets.evaluate,
        metrics=sets.metrics,
    )
    length = {"epochs": version.epochs} if version.steps is None else {"steps": version.steps}
    options = dict(version.options or {})
    if version.growth is not None:
        grown = version.growth.schedule(
            version.global_batch, len(sets.train), drop_last=options.get("drop_last", False)
        )
        options["batch_schedule"] = grown
    settings = {**length, "options": Options(**options)} if options else length
    return Experiment(task=task, cluster=target(version), settings=settings, version=version, lr=lr)


def target(version: Version) -> VirtualCluster:
    """Give a version's target.

    Args:
        version: The version.

    Returns:
        The cluster.
    """
    return VirtualCluster.parse(version.cluster, global_batch=version.global_batch)


def _at(version: Version, batch: int) -> Version:
    """Give the version at another batch: as many samples a virtual node, as many samples in all."""
    now = target(version)
    if batch < 1:
        raise SpecError(f"batch={batch} is no batch; give 1 or more samples")
    ratio = batch / now.global_batch
    count = max(1, round(now.count * ratio))
    schedule = version.schedule
    if schedule is not None and version.scaling is not None and version.scaling.warmup:
        schedule = {**schedule, "warmup": schedule["warmup"] * ratio}
    return replace(
        version,
        global_batch=batch,
        cluster=f"{count}x{now.accelerator}" if now.accelerator else str(count),
        steps=None if version.steps is None else max(1, round(version.steps / ratio)),
        schedule=schedule,
    )


def _rate(version: Version, where: str) -> float:
    lr: float = version.optimizer["lr"]
    scaling = version.scaling
    if scaling is None:
        return lr
    rule: Callable[..., float] = _named("rule", RULES, scaling.rule, where)
    return rule(lr, batch=version.global_batch, base_batch=scaling.base_batch)


def _schedule(version: Version, lr: float, where: str) -> Schedule | None:
    if version.schedule is None:
        return None
    given = dict(version.schedule)
    if version.scaling is not None and version.scaling.gradual:
        given["start"] = min(1.0, version.optimizer["lr"] / lr)
    made: Schedule = _made(SCHEDULES, given, where)
    return made


def _optimizer(version: Version, lr: float, where: str) -> Any:
    given = dict(version.optimizer) | {"lr": lr}
    vectors = given.pop("vectors", None)
    made = _made(OPTIMIZERS, given, where)
    return made if vectors is None else Grouped(made, vectors)


@dataclass(frozen=True, slots=True)
class Grouped:
    """An optimizer whose biases and norms have settings of their own.

    Args:
        make: The optimizer, from groups.
        vectors: What biases and norms have.
    """

    make: Callable[..., Optimizer]
    vectors: Mapping[str, Any]

    def __call__(self, model: nn.Module) -> Optimizer:
        """Make the optimizer of a model.

        Args:
            model: The model.

        Returns:
            The optimizer.
        """
        return self.make(matrices_and_rest(model, **self.vectors))


def _made(table: Mapping[str, Callable[..., Any]], given: Mapping[str, Any], where: str) -> Any:
    settings = dict(given)
    make = _named("name", table, settings.pop("name", None), where)
    try:
        return make(**settings)
    except TypeError as error:
        raise SpecError(f"{where}: {given['name']} does not take all of {sorted(settings)} ({error})") from error


def _named(what: str, table: Mapping[str, Any], name: Any, where: str) -> Any:
    if name not in table:
        raise SpecError(f"{where} has {what}={name!r}, which is unknown; known are {', '.join(sorted(table))}")
    return table[name]
