"""Whether a model's samples know of each other: then virtual nodes cannot share a pass.

Known modules are named. Any other model is asked: the joint pass of two nodes' samples must give the loss, gradients
and buffers of two separate passes, up to rounding. The same dropout masks cannot be had in both, so random draws are
replaced by their means; a permutation by the reversed order, which shows a mixing of samples.
"""

from collections.abc import Callable
from dataclasses import replace
from math import isfinite
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from vfnb.numerics import node_seed, restored_generators
from vfnb.runtime.feed import Feed
from vfnb.runtime.forward import run_pass
from vfnb.runtime.passes import Pass
from vfnb.runtime.program import Program, private_copy
from vfnb.runtime.replica import Replica
from vfnb.runtime.settings import deterministic, threads
from vfnb.spec import Device, Layout

_KNOWN = torch.nn.modules.batchnorm._BatchNorm  # noqa: SLF001  # the base of every batch norm
_ENOUGH = 4  # samples a node: in-batch losses compare pairs
_ROUNDINGS = 1e4  # units in the last place that may part two orders of adding up
_ROUGHEST = 0.1
_NOTHING = 1e-5  # of the largest gradient: below it a gradient is zero up to rounding


def coupling(program: Program) -> str | None:
    """Say what couples the samples of a pass.

    Args:
        program: Stays as it is.

    Returns:
        In words; None where nothing does.
    """
    for name, module in program.model.named_modules():
        if isinstance(module, _KNOWN) and module.training:
            return f"{name or 'the model'} is a {type(module).__name__}, whose statistics couple the samples of a pass"
    each = min(_ENOUGH, program.global_batch // 2, len(program.train.dataset) // 2)
    if each == 0:
        return None
    with restored_generators(), deterministic(), threads(program.options.threads):
        return _compared(program, each)


def _compared(program: Program, each: int) -> str | None:
    # A node's samples depend on their place alone, so two nodes of a small batch stand for any two.
    small = replace(private_copy(program), layout=Layout(2, 1), global_batch=2 * each, schedule=None)
    plain = replace(small.options, precision="no", drop_last=False, reduction="native", batch_schedule=None)
    small = replace(small, options=plain)
    replica = Replica(small, Device("cpu", 0))
    feed = Feed(small, replica.device)
    halves = [Pass(block=0, node=node, nodes=1, positions=range(node * each, (node + 1) * each)) for node in (0, 1)]
    try:
        joint = _sums(replica, feed, [Pass(block=0, node=0, nodes=2, positions=range(2 * each))])
    except Exception as error:  # noqa: BLE001  # separate passes are tried before: the joint one is what fails
        return f"two virtual nodes in one pass raise {type(error).__name__}: {error}"
    return _difference(joint, _sums(replica, feed, halves), _tolerance(replica))


def _tolerance(replica: Replica) -> float:
    dtypes = {one.dtype for one in replica.parameters.values()}
    return min(_ROUGHEST, _ROUNDINGS * max(torch.finfo(dtype).eps for dtype in dtypes))


def _sums(replica: Replica, feed: Feed, passes: list[Pass]) -> dict[str, torch.Tensor]:
    """Add up losses and gradients over passes; buffers by their samples' share."""
    loss = torch.zeros((), dtype=torch.float64)
    buffers: dict[str, torch.Tensor] = {}
    total = sum(len(one.positions) for one in passes)
    for one in passes:
        replica.buffers.begin(replica.buffer_capacities)
        batch = feed.placed(feed.read(1, one))
        with _Means():  # type: ignore[no-untyped-call]  # torch gives its constructor no types
            got = run_pass(replica, one, batch, seed=node_seed(replica.program.seed, 1, one.node), unit=1.0)
        loss = loss + got.value.double() * got.factor
        for name, value in replica.model.named_buffers():
            if value.is_floating_point():
                share = value.detach().double() * (len(one.positions) / total)
                buffers[name] = buffers[name] + share if name in buffers else share
        replica.buffers.restore()
    found = {
        f"the gradient of {name}": one.grad.clone() for name, one in replica.parameters.items() if one.grad is not None
    }
    replica.clear_gradients()
    return {"the loss": loss, **found, **{f"buffer {name}": value for name, value in buffers.items()}}


def _difference(joint: dict[str, torch.Tensor], apart: dict[str, torch.Tensor], tolerance: float) -> str | None:
    if not all(isfinite(float(one.double().abs().sum())) for one in (*joint.values(), *apart.values())):
        return None  # nothing can be said of what is not finite; the run itself tells of it
    gradients = [_size(one) for name, one in apart.items() if name.startswith("the gradient")]
    floor = _NOTHING * max(gradients, default=0.0)
    for name in sorted(joint.keys() | apart.keys()):
        one, other = joint.get(name), apart.get(name)
        if one is None or other is None:
            return f"{name} is there in a joint pass of two virtual nodes only, or in separate ones only"
        away = _size(one.double() - other.double())
        if away > tolerance * _size(other) + floor:
            parted = away / max(_size(other), floor, 1e-300)
            return f"{name} of a joint pass is not that of separate ones (off by {parted:.1%}): samples are coupled"
    return None


def _size(tensor: torch.Tensor) -> float:
    return float(tensor.double().abs().max()) if tensor.numel() else 0.0


class _Means(TorchDispatchMode):
    """Replaces each random draw by its mean, as torch's CPU kernels come to draw."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        drawn = func(*args, **(kwargs or {}))
        steady = _DRAWS.get(func.overloadpacket.__name__)
        return drawn if steady is None else steady(drawn, args)


def _chance(drawn: torch.Tensor, args: tuple[Any, ...]) -> torch.Tensor:
    chance = args[1] if len(args) > 1 else 0.5  # torch leaves out what is the default
    return drawn.copy_(chance) if isinstance(chance, torch.Tensor) else drawn.fill_(chance)


def _middle(drawn: torch.Tensor, args: tuple[Any, ...]) -> torch.Tensor:
    low, high = args[1:] if len(args) > 2 else (0.0, 1.0)
    return drawn.fill_((low + high) / 2)


def _backwards(drawn: torch.Tensor, args: tuple[Any, ...]) -> torch.Tensor:
    return drawn.copy_(torch.arange(args[0] - 1, -1, -1))


def _always(value: float) -> Callable[[torch.Tensor, tuple[Any, ...]], torch.Tensor]:
    return lambda drawn, _: drawn.fill_(value)


_DRAWS: dict[str, Callable[[torch.Tensor, tuple[Any, ...]], torch.Tensor]] = {
    "bernoulli": lambda drawn, args: drawn.copy_(args[0]),
    "bernoulli_": _chance,
    "uniform_": _middle,
    "normal_": lambda drawn, args: drawn.fill_(args[1] if len(args) > 1 else 0.0),
    "exponential_": _always(1.0),
    "rand": _always(0.5),
    "rand_like": _always(0.5),
    "randn": _always(0.0),
    "randn_like": _always(0.0),
    "normal": _always(0.0),
    "randperm": _backwards,
}
