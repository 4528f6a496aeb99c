"""What a task asks of a device: its model counted on two batches of its own data, as a workload."""

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves
from torch.utils.data import default_collate

from vfnb.ground import SpecError
from vfnb.numerics import restored_generators, unique_parameters
from vfnb.planning import Precision, Product, Workload
from vfnb.runtime import Batch, Counts, Source, count
from vfnb.session.data import collated
from vfnb.session.loss import Loss, own_loss
from vfnb.session.model import trainable
from vfnb.session.optimizer import OptimizerMaker
from vfnb.session.samples import spread
from vfnb.session.task import Task

_SAMPLES = 4  # of the smaller batch; the larger one has them twice, so that padding is alike
_AUTOCAST = {"fp16": "fp16", "bf16": "bf16"}
_ADAM = 8.0


def workload_of(task: Task, precision: Precision) -> Workload:
    """Count a task's model; the task and the global generators stay as they are.

    Args:
        task: What to learn.
        precision: What products are computed in.

    Returns:
        The workload of one sample.
    """
    parts = task.parts
    model = trainable(parts.model.build(0))
    loss = own_loss(model) if parts.loss is None else parts.loss
    small, large = (_counts(model, loss, batch, precision) for batch in _batches(collated(parts.train, None)))
    state, remark = _state_bytes(parts.optimizer, model)
    return _joined(small, large, model, precision, state, parts.model.name, (remark,) if remark else ())


def _batches(source: Source) -> tuple[tuple[Batch, int], tuple[Batch, int]]:
    with restored_generators():
        indices = spread(len(source.dataset), _SAMPLES) if len(source.dataset) > 1 else (0,)
        samples = [source.dataset[index] for index in indices]
        samples = (samples * _SAMPLES)[:_SAMPLES]
        collate = default_collate if source.collate is None else source.collate
        return (collate(samples), _SAMPLES), (collate(samples * 2), 2 * _SAMPLES)


def _counts(model: nn.Module, loss: Loss, batch: tuple[Batch, int], precision: Precision) -> Counts:
    return count(model, loss, batch[0], samples=batch[1], precision=_AUTOCAST.get(precision, "no"))


def _joined(  # noqa: PLR0913, PLR0917  # what was seen, and what it was seen of
    small: Counts,
    large: Counts,
    model: nn.Module,
    precision: Precision,
    state_bytes: float,
    name: str,
    remarks: tuple[str, ...],
) -> Workload:
    kept, kept_once = _line(small.kept_bytes, large.kept_bytes)
    parameters = sum(one.numel() for one in unique_parameters(model).values())
    copies = 2.0 * parameters if precision in _AUTOCAST else 0.0  # autocast's 16-bit weights have a row of their own
    return Workload(
        name=name,
        precision=precision,
        parameters=parameters,
        products=_products(small, large),
        other_bytes=_line(small.other_bytes, large.other_bytes)[0],
        kernels=small.kernels,
        kept_bytes=kept,
        kept_once_bytes=max(0.0, kept_once - copies),
        working_bytes=_line(small.working_bytes, large.working_bytes)[0],
        state_bytes=state_bytes,
        remarks=(*remarks, *_remarks(small)),
    )


def _products(small: Counts, large: Counts) -> tuple[Product, ...]:
    if len(small.products) != len(large.products):
        # The model does other things with other batches: only the sums can be compared.
        flops, _ = _line(sum(one for one, _ in small.products), sum(one for one, _ in large.products))
        moved, once = _line(sum(one for _, one in small.products), sum(one for _, one in large.products))
        return (Product(flops=flops, sample_bytes=moved, once_bytes=once),)
    found: dict[tuple[float, float, float], int] = {}
    for (flops, moved), (more_flops, more_moved) in zip(small.products, large.products, strict=True):
        key = (_line(flops, more_flops)[0], *_line(moved, more_moved))
        found[key] = found.get(key, 0) + 1
    return tuple(
        Product(flops=flops, sample_bytes=moved, once_bytes=once, times=times)
        for (flops, moved, once), times in found.items()
    )


def _line(small: float, large: float) -> tuple[float, float]:
    """Give what a sample adds, and what is there without one."""
    slope = max(0.0, (large - small) / _SAMPLES)
    return slope, max(0.0, small - slope * _SAMPLES)


def _remarks(counts: Counts) -> list[str]:
    said = []
    if counts.needs_values:
        said.append(f"the model needs values ({counts.needs_values}), so a real pass on the CPU was counted")
    if counts.uncounted:
        said.append(f"not counted: {', '.join(sorted(counts.uncounted))}; time and operations are too low by them")
    return said


def _state_bytes(make: OptimizerMaker, model: nn.Module) -> tuple[float, str]:
    """Step the optimizer on one tensor of the model, and see what it keeps for each of its numbers."""
    try:
        optimizer = make(model)
        trained = [one for group in optimizer.param_groups for one in group["params"]]
        one = min(trained, key=lambda tensor: (tensor.ndim < 2, tensor.numel()))  # a matrix, if any
        for other in trained:
            other.grad = None
        one.grad = torch.zeros_like(one)
        optimizer.step()
    except SpecError:
        raise
    except Exception as error:  # noqa: BLE001  # an optimizer that wants more than a step is a user's own
        return _ADAM, f"the optimizer could not be tried ({error}); {_ADAM:g} bytes a parameter assumed"
    tensors = [leaf for leaf in tree_leaves(optimizer.state[one]) if isinstance(leaf, Tensor) and leaf.ndim]
    return sum(leaf.numel() * leaf.element_size() for leaf in tensors) / one.numel(), ""
