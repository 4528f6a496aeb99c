"""Looking a job over in the calling process before any worker starts: what is refused, what is remarked."""

from collections.abc import Iterator
from typing import Any

from torch import nn
from torch.utils.data import default_collate

from vfnb.ground import SpecError
from vfnb.numerics import Leg, restored_generators
from vfnb.runtime import Program, Source, shippable, trial
from vfnb.session.blueprint import Blueprint
from vfnb.session.loss import OutputLoss
from vfnb.session.samples import read_samples, spread
from vfnb.spec import Event, Layout, NotGuaranteed, Warned

_READ_TWICE = 4
_BATCHED = 2
_TRANSFORMS = ("transform", "target_transform", "transforms")


def look_over(blueprint: Blueprint, program: Program, *, travels: bool) -> tuple[Event, ...]:
    """Try what can be tried without a worker.

    The user's own exceptions come through as they are; a SpecError says what else cannot be trained.

    Args:
        blueprint: The job.
        program: Made of it.
        travels: Whether the program goes to other processes.

    Returns:
        What was noticed and does not stop the job.
    """
    if travels:
        _check_travel(program)
    noticed = list(trial(program))
    noticed += [NotGuaranteed(step=0, what=what, reason=_unsteady_reason()) for what in unsteady_fields(program.train)]
    noticed += [Warned(step=0, message=message) for message in _remarks(blueprint)]
    return tuple(noticed)


def unsteady_fields(source: Source) -> Iterator[str]:
    """Read a few samples twice, in two orders, and find what differs.

    Args:
        source: The data.

    Yields:
        Where a sample differs: its index, the first field that does, and the data set's transform.
    """
    indices = spread(len(source.dataset), _READ_TWICE)
    first = read_samples(source.dataset, indices)
    again = read_samples(source.dataset, indices[::-1])
    for index in indices:
        fields = sorted(first[index].keys() | again[index].keys())
        differing = [name for name in fields if first[index].get(name) != again[index].get(name)]
        if differing:
            yield f"sample {index} of the training data, {_field(differing[0])}{_transform(source.dataset)}"
            return


def _unsteady_reason() -> str:
    return (
        "it was another one when read again in another order, though torch's, NumPy's and Python's global "
        "generators were seeded alike; let it draw from those and not from a generator or counter of its own"
    )


def _check_travel(program: Program) -> None:
    parts = {name: getattr(program, name) for name in ("model", "loss", "optimizer", "schedule", "predict", "metrics")}
    parts |= {"train": program.train.dataset, "collate": program.train.collate}
    parts |= {
        "evaluate": program.evaluation and program.evaluation.dataset,
        "stop_when": program.options.stop_when,
    }
    try:
        shippable(parts, "task")
    except SpecError:
        # One by one, for the name that the user knows the part by.
        for name, part in parts.items():
            shippable(part, name)
        raise


def _remarks(blueprint: Blueprint) -> Iterator[str]:
    yield from blueprint.parts.remarks
    yield from _unusual_batch(blueprint)
    yield from _lonely(blueprint)
    yield from _uneven(blueprint)
    if isinstance(blueprint.loss, OutputLoss):
        remark = blueprint.loss.remark(_some_batch(blueprint.train))
        if remark is not None:
            yield remark


def _unusual_batch(blueprint: Blueprint) -> Iterator[str]:
    nodes, batch, growth = blueprint.cluster.nodes, blueprint.cluster.global_batch, blueprint.options.growth
    if batch < nodes:
        yield (
            f"the global batch of {batch:,} is smaller than the cluster's {nodes:,} devices: "
            f"{nodes - batch:,} virtual nodes get no samples; a batch of at least {nodes:,} uses them all"
        )
    samples = len(blueprint.train.dataset)
    large = next((size for size in (batch, *(size for _, size in growth)) if size > samples), None)
    if large is not None:
        yield f"the global batch of {large:,} is more than the {samples:,} samples; each step takes all of them"
    late = next(((step, size) for step, size in growth if step > blueprint.steps), None)
    if late is not None:
        yield f"the batch never grows to {late[1]:,}: step {late[0]:,} comes after the last one, {blueprint.steps:,}"


def _lonely(blueprint: Blueprint) -> Iterator[str]:
    """Announce virtual nodes of one sample under batch norm, which cannot tell a spread from it."""
    model = blueprint.model
    if not any(isinstance(one, nn.modules.batchnorm._BatchNorm) and one.training for one in model.modules()):  # noqa: SLF001  # torch has no public name for all of them
        return
    for leg in blueprint.course.legs():
        remark = _lonely_in(leg, blueprint)
        if remark is not None and leg.first <= blueprint.steps:
            yield f"the model has batch norm, and some virtual nodes get one sample of {remark}"
            return


def _lonely_in(leg: Leg, blueprint: Blueprint) -> str | None:
    samples, layout = len(blueprint.train.dataset), blueprint.layout.at(leg.first)
    if 1 in _shares(layout, min(leg.batch, samples)):
        return f"a batch of {leg.batch:,}; give the cluster a larger batch or fewer devices"
    short = {(samples - leg.start) % leg.batch: f"epoch {leg.epoch + 1}'s", samples % leg.batch: "each epoch's"}
    for last, whose in short.items():
        if last and not blueprint.options.drop_last and 1 in _shares(layout, last):
            return f"{whose} last batch of {last:,}; Options(drop_last=True) leaves that batch out"
    return None


def _shares(layout: Layout, batch: int) -> list[int]:
    return [len(layout.positions(batch, range(node, node + 1))) for node in range(layout.nodes)]


def _uneven(blueprint: Blueprint) -> Iterator[str]:
    sizes = sorted(set(blueprint.layout.samples))
    if len(sizes) > 1:
        yield (
            f"virtual nodes have {sizes[0]:,} to {sizes[-1]:,} samples: batch norm and losses over a batch see batches "
            "of these sizes, not the target's equal ones, and the bits belong to this split"
        )


def _some_batch(source: Source) -> Any:
    with restored_generators():
        samples = [source.dataset[index] for index in spread(len(source.dataset), _BATCHED)]
        return default_collate(samples) if source.collate is None else source.collate(samples)


def _field(path: str) -> str:
    return f"field {path!r}" if path else "the sample itself"


def _transform(dataset: Any) -> str:
    """Name the transforms of a data set, or of the one that it is a part of."""
    names = [
        type(one).__name__ if not hasattr(one, "__qualname__") else one.__qualname__ for one in _transforms(dataset)
    ]
    return f" ({', '.join(names)})" if names else ""


def _transforms(dataset: Any) -> list[Any]:
    own = [one for name in _TRANSFORMS if (one := getattr(dataset, name, None)) is not None]
    inner = getattr(dataset, "dataset", None)
    return own if own or inner is None else _transforms(inner)
