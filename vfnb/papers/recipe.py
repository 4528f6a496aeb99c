"""A published experiment as records: where it was published, what came out, and how to run it at each scale."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

from vfnb.ground import SpecError
from vfnb.numerics import steps_per_epoch

Scale = Literal["binder", "gpu", "full"]
SCALES: tuple[Scale, ...] = get_args(Scale)

# How sure a number is: read where it was published; told by others who read it, or in an abstract; recalled, which
# nobody has compared with the paper since; measured for this project.
Status = Literal["read", "told", "recalled", "measured"]
STATUSES: tuple[Status, ...] = get_args(Status)

Cell = str | int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """Where an experiment was published.

    Attributes:
        authors: The first, or all of two.
        title: The paper's.
        year: Of its first version.
        source: Where to read it.
    """

    authors: str
    title: str
    year: int
    source: str

    def __str__(self) -> str:
        return f"{self.authors} ({self.year}), {self.title}, {self.source}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """A table of results.

    Attributes:
        about: What was measured.
        columns: Their heads.
        rows: A cell a column.
        source: Where the numbers stand.
        status: How sure they are: "read", "told", "recalled" or "measured".

    Raises:
        SpecError: If a row does not fit, or the status is unknown.
    """

    about: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    source: str
    status: Status

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise SpecError(f"status={self.status!r} is unknown; give one of {', '.join(STATUSES)}")
        for row in self.rows:
            if len(row) != len(self.columns):
                raise SpecError(f"a row of {self.about!r} has {len(row)} cells for {len(self.columns)} columns: {row}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """How the rate follows the batch.

    Attributes:
        rule: "linear" or "square-root".
        base_batch: The batch that the optimizer's lr is for.
        warmup: Whether a warm-up's share grows with the batch too, as LAMB's does.
        gradual: Whether the warm-up begins at the base batch's rate, as Goyal et al. do.
    """

    rule: str
    base_batch: int
    warmup: bool = False
    gradual: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """How the batch grows while it trains.

    Attributes:
        factor: By how much, each time.
        after: How many epochs have gone through, each time.

    Raises:
        SpecError: If the epochs do not rise from 1, or the factor is below 2.
    """

    factor: int
    after: tuple[int, ...]

    def __post_init__(self) -> None:
        rises = all(early < late for early, late in pairwise((0, *self.after)))
        if not self.after or not rises or self.factor < 2:  # by less it does not grow
            raise SpecError(f"factor={self.factor} after={list(self.after)}: give rising epochs, and a factor from 2")

    def schedule(self, batch: int, samples: int, *, drop_last: bool) -> dict[int, int]:
        """Give the steps at which it grows, as `vfnb.Options(batch_schedule=...)` takes them.

        Args:
            batch: The first global batch.
            samples: In an epoch.
            drop_last: Whether a short last batch is left out.

        Returns:
            Steps and the batch from each on.
        """
        found, step, last = {}, 1, 0
        for epoch in self.after:
            step += (epoch - last) * steps_per_epoch(samples, batch, drop_last)
            batch, last = batch * self.factor, epoch
            found[step] = batch
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """An experiment at one scale.

    Attributes:
        model: By its name among the models.
        data: By its name among the data sets.
        cluster: The target, as papers write it.
        global_batch: Samples in a step.
        optimizer: Its name and hyperparameters; the lr is that of the scaling's base batch.
        schedule: Its name and settings; None for a constant rate.
        scaling: How the lr follows the batch; None where it does not.
        growth: How the batch grows; None where it stays.
        epochs: How long; or steps.
        steps: How long; or epochs.
        options: What `vfnb.Options` takes.
        known: What an estimate of its target needs where the task is not there: the known model, its sequence, and the
            samples of an epoch; None counts the model itself.
        changes: What differs from the paper, a sentence each.
        found: What came out when it was tried; None where it was not.
        cpu_seconds: What one run takes on one thread of a 2-core Xeon; None where it was not tried.

    Raises:
        SpecError: If not exactly one of epochs and steps is given, or the batch grows and it is not epochs.
    """

    model: str
    data: str
    cluster: str
    global_batch: int
    optimizer: Mapping[str, Any]
    schedule: Mapping[str, Any] | None = None
    scaling: Scaling | None = None
    growth: Growth | None = None
    epochs: int | None = None
    steps: int | None = None
    options: Mapping[str, Any] | None = None
    known: Mapping[str, Any] | None = None
    changes: tuple[str, ...] = ()
    found: Results | None = None
    cpu_seconds: float | None = None

    def __post_init__(self) -> None:
        if (self.epochs is None) == (self.steps is None):
            raise SpecError(f"epochs={self.epochs} and steps={self.steps}: a version has exactly one of them")
        if self.growth is not None and self.epochs is None:
            raise SpecError(f"growth goes by epochs, and steps={self.steps} is given; give epochs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A published experiment.

    Attributes:
        name: Its name here.
        claim: What the paper says, in a sentence.
        paper: Where it was published.
        published: What came out there.
        versions: How to run it, by scale.

    Raises:
        SpecError: If a scale is unknown, or there is none.
    """

    name: str
    claim: str
    paper: Paper
    published: tuple[Results, ...]
    versions: Mapping[str, Version]

    def __post_init__(self) -> None:
        unknown = sorted(set(self.versions) - set(SCALES))
        if unknown or not self.versions:
            raise SpecError(f"versions={unknown or 'none'}: give at least one, by the scales {', '.join(SCALES)}")

    def version(self, scale: str) -> Version:
        """Give the version of a scale.

        Args:
            scale: "binder", "gpu" or "full".

        Returns:
            The version.

        Raises:
            SpecError: If there is none of this scale.
        """
        if scale not in self.versions:
            there = ", ".join(repr(one) for one in SCALES if one in self.versions)
            raise SpecError(f"recipe {self.name} has no version for scale={scale!r}; it has {there}")
        return self.versions[scale]
