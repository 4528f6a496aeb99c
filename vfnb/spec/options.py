"""The rarely touched options of a job, checked when they are made."""

from collections.abc import Callable, Sequence
from collections.abc import Mapping as Table
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Any, Literal, get_args

from vfnb.ground import SpecError
from vfnb.spec.checks import check_count
from vfnb.spec.events import Event
from vfnb.spec.row import Row

Reduction = Literal["exact", "native"]
Precision = Literal["no", "bf16", "fp16"]
Buffers = Literal["mean", "first"]
Nonfinite = Literal["skip", "stop"]
NodesPerPass = int | Literal["auto"]
Rebalance = Literal["auto"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a job trains, where the defaults are not wanted.

    Args:
        reduction: "exact" gives the same bits on any mapping, "native" the fastest sum, equal up to rounding.
        blocks: How many blocks the virtual nodes are cut into, those of the first batch where it grows; None is
            min(nodes, 32). A job uses at most as many workers as these.
        node_sizes: How many samples of a full batch each virtual node has, one number a node; None is even shares. It
            changes what batch norm sees, and the bits belong to these sizes.
        nodes_per_pass: Virtual nodes computed in one forward and backward pass; "auto" takes what is predicted to be
            fastest here, a number settled when the job is made, and halves it where a pass does not fit.
        precision: "no" for fp32, or autocast to "bf16" or "fp16" (with a loss scaler).
        clip_norm: The largest global 2-norm of the mean gradient; None does not clip.
        buffers: "mean" keeps the mean over virtual nodes, "first" those of virtual node 0.
        drop_last: Whether an epoch's short last batch is left out.
        batch_schedule: Steps and the global batch from each on, such as `{1001: 160, 2001: 800}`: it only grows, by
            whole virtual nodes of as many samples as the first ones. Kept as pairs.
        nonfinite: Whether a step whose loss or gradient is not finite is skipped or stops the job.
        threads: CPU threads a worker.
        loader_workers: Loader processes a worker; 0 reads in the pass's own thread.
        collate: Makes a batch out of one virtual node's samples; None takes torch's own.
        evaluate_every: Steps between evaluations; None evaluates at each epoch's end and the last step.
        checkpoint_every: Seconds between checkpoints; None saves only at pause, stop and end.
        keep: How many newest checkpoints are kept.
        keep_best: A metric whose best checkpoint is kept too: "accuracy" (largest) or "-loss" (smallest).
        stop_when: Ends the job where it answers True for a committed step's row; pure.
        on_event: Called with each event on a thread of the driver.
        log_with: Trackers that are told of every row, such as ["tensorboard"].
        fingerprint_every: Steps between fingerprints in the run's rows; None takes as many as cost under 1 %.
        stuck_after: Seconds of silence after which a worker counts as lost; None judges by its passes.
        rebalance: "auto" moves virtual nodes between workers where their measured speeds make it worth it; None leaves
            that to `job.map` and `job.rebalance`.
        check: Whether `start` tries one virtual node's pass before any worker is started.

    Raises:
        SpecError: If a value is not possible; it names the option, the value and what is.
    """

    reduction: Reduction = "exact"
    blocks: int | None = None
    node_sizes: tuple[int, ...] | None = None
    nodes_per_pass: NodesPerPass = 1
    precision: Precision = "no"
    clip_norm: float | None = None
    buffers: Buffers = "mean"
    drop_last: bool = False
    batch_schedule: Table[int, int] | tuple[tuple[int, int], ...] | None = None
    nonfinite: Nonfinite = "skip"
    threads: int = 1
    loader_workers: int = 0
    collate: Callable[[list[Any]], Any] | None = None
    evaluate_every: int | None = None
    checkpoint_every: float | None = 300.0
    keep: int = 2
    keep_best: str | None = None
    stop_when: Callable[[Row], bool] | None = None
    on_event: Callable[[Event], object] | None = None
    log_with: tuple[str, ...] = ()
    fingerprint_every: int | None = None
    stuck_after: float | None = None
    rebalance: Rebalance | None = None
    check: bool = True

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            _check_choice(name, getattr(self, name), choices)
        if self.nodes_per_pass != "auto":
            _check_nodes_per_pass(self.nodes_per_pass)
        object.__setattr__(self, "node_sizes", _sizes(self.node_sizes))
        for name, least in _COUNTS.items():
            check_count(name, getattr(self, name), least)
        for name in _COUNTS_OR_NONE:
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name))
        for name in _POSITIVE_OR_NONE:
            _check_positive(name, getattr(self, name))
        for name in CALLABLES:
            _check_callable(name, getattr(self, name))
        _check_metric(self.keep_best)
        object.__setattr__(self, "log_with", _trackers(self.log_with))
        object.__setattr__(self, "batch_schedule", _schedule(self.batch_schedule))
        _check_one_size(self)

    @property
    def growth(self) -> tuple[tuple[int, int], ...]:
        """Pairs of a step and the global batch from it on, ascending; none where the batch stays."""
        return tuple(self.batch_schedule or ())  # type: ignore[arg-type]  # pairs, once it is checked


CALLABLES = ("collate", "stop_when", "on_event")

# accelerate's, by its own names; a test holds the two lists equal.
TRACKERS = ("aim", "clearml", "comet_ml", "dvclive", "mlflow", "swanlab", "tensorboard", "trackio", "wandb")

_CHOICES: dict[str, tuple[object, ...]] = {
    "reduction": get_args(Reduction),
    "precision": get_args(Precision),
    "buffers": get_args(Buffers),
    "nonfinite": get_args(Nonfinite),
    "drop_last": (True, False),
    "check": (True, False),
    "rebalance": ("auto", None),
}
_COUNTS = {"threads": 1, "loader_workers": 0, "keep": 1}
_COUNTS_OR_NONE = ("blocks", "evaluate_every", "fingerprint_every")
_POSITIVE_OR_NONE = ("clip_norm", "checkpoint_every", "stuck_after")


def _check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    # 1 == True: a choice must also be of the right type.
    if not any(value == choice and type(value) is type(choice) for choice in choices):
        allowed = " or ".join(repr(choice) for choice in choices)
        raise SpecError(f"{name}={value!r} is not possible; give {allowed}")


def _check_nodes_per_pass(value: object) -> None:
    if isinstance(value, str):
        raise SpecError(f"nodes_per_pass={value!r} is not possible; give a whole number of at least 1, or 'auto'")
    check_count("nodes_per_pass", value)


def _check_one_size(options: Options) -> None:
    if options.node_sizes is None:
        return
    if options.nodes_per_pass == "auto":
        raise SpecError("nodes_per_pass='auto' is measured for nodes of one size; with node_sizes give a number")
    if options.growth:
        raise SpecError("batch_schedule adds nodes of one size; leave out node_sizes, or let the batch stay")


def _sizes(sizes: object) -> tuple[int, ...] | None:
    if sizes is None:
        return None
    if isinstance(sizes, str) or not isinstance(sizes, Sequence) or not sizes:
        raise SpecError(f"node_sizes={sizes!r} are no sizes; give one a virtual node, such as [6, 2], or None")
    for size in sizes:
        check_count("a size in node_sizes", size)
    return tuple(sizes)


def _check_positive(name: str, value: object) -> None:
    if value is None:
        return
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and isfinite(value) and value > 0):  # type: ignore[arg-type,operator]  # `number` proves it
        raise SpecError(f"{name}={value!r} is not possible; give a finite number above 0, or None")


def _check_callable(name: str, value: object) -> None:
    if value is not None and not callable(value):
        raise SpecError(f"{name}={value!r} cannot be called; give a function, or None")


def _trackers(names: object) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, list | tuple):
        raise SpecError(f"log_with={names!r} is no list of trackers; give one such as ['tensorboard']")
    unknown = [name for name in names if name not in TRACKERS]
    if unknown:
        raise SpecError(f"log_with has {unknown[0]!r}, which is no tracker; there are {', '.join(TRACKERS)}")
    return tuple(dict.fromkeys(names))


def _schedule(given: object) -> tuple[tuple[int, int], ...] | None:
    if given is None:
        return None
    pairs = tuple(given.items()) if isinstance(given, Table) else given
    if not isinstance(pairs, list | tuple) or not all(isinstance(one, list | tuple) and len(one) == 2 for one in pairs):
        raise SpecError(f"batch_schedule={given!r} is no schedule; give steps and batches such as {{1001: 160}}")
    for step, batch in pairs:
        check_count("a step of batch_schedule", step, 2)
        check_count(f"batch_schedule's batch at step {step}", batch)
    ordered = tuple(sorted((step, batch) for step, batch in pairs))
    for (step, batch), (later, after) in pairwise(ordered):
        if later == step:
            raise SpecError(f"batch_schedule names step {step} twice; give it one batch")
        if after <= batch:
            raise SpecError(f"batch_schedule goes from {batch:,} to {after:,} at step {later:,}; a batch only grows")
    return ordered or None


def _check_metric(name: object) -> None:
    if name is not None and not (isinstance(name, str) and name.removeprefix("-")):
        raise SpecError(f"keep_best={name!r} names no metric; give one such as 'accuracy' or '-loss'")
