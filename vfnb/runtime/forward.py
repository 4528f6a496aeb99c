"""One forward and backward pass: seeds, autocast, the loss as (sum, weight), and the gradient of its weighted part.

The backward pass runs on `sum / unit`, with `unit` a power of two near a virtual node's weight: a mean loss
times its share, of the size of a mean, so that an fp16 scaler has the range it expects.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from math import frexp, ldexp
from typing import Any

import torch

from vfnb.ground import SpecError
from vfnb.runtime.passes import Pass
from vfnb.runtime.program import Batch
from vfnb.runtime.refusals import refuse_by_name, weight_of
from vfnb.runtime.replica import Replica
from vfnb.spec import Weighted

_DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a pass gave: the summed loss is `value * factor`.

    Attributes:
        value: Detached, 0-d, on the device: reading it now would wait for the device.
        factor: What it is multiplied by on the host, in fp64 (some devices have none).
        weight: What the pass counts.
    """

    value: torch.Tensor
    factor: float
    weight: float


def autocast(device: torch.device, precision: str) -> AbstractContextManager[Any]:
    """Give torch's own autocast for a precision, and for "no" something that keeps the caller's out.

    Args:
        device: Where passes run.
        precision: "no", "bf16" or "fp16".

    Returns:
        The context.
    """
    if precision not in _DTYPES and not torch.is_autocast_enabled(device.type):
        return nullcontext()  # to enter one that is off would be a tenth of a small pass
    return torch.autocast(device.type, dtype=_DTYPES.get(precision, torch.bfloat16), enabled=precision in _DTYPES)


def weighed(loss: "torch.Tensor | Weighted", samples: int) -> tuple[torch.Tensor, float, float]:
    """Read a loss as a 0-d tensor, the factor that makes it a sum, and a weight.

    Args:
        loss: A scalar mean over the samples, or a `Weighted`.
        samples: How many samples the batch has.

    Returns:
        A tensor that carries the graph, the factor, and the weight.

    Raises:
        SpecError: If the loss is not a scalar; `weight_of` refuses weights.
    """
    value = loss.sum if isinstance(loss, Weighted) else loss
    if not isinstance(value, torch.Tensor) or value.numel() != 1:
        shape = (
            f"a tensor of shape {tuple(value.shape)}"
            if isinstance(value, torch.Tensor)
            else f"a {type(value).__name__}"
        )
        raise SpecError(
            f"the loss is {shape}, not a scalar; return its mean over the batch, or vfnb.Weighted(sum, weight)"
        )
    if value.ndim:
        value = value.reshape(())
    if not isinstance(loss, Weighted):
        return value, float(samples), float(samples)
    return value, 1.0, weight_of(loss.weight)


def run_pass(replica: Replica, one: Pass, batch: Batch, *, seed: int, unit: float, scale: float = 1.0) -> Measured:
    """Seed and compute one pass of a training step; gradients add up in `.grad`.

    Args:
        replica: Whose model, loss and precision.
        one: The pass.
        batch: Its samples, on the device.
        seed: Of its random stream, which its step and its first virtual node name.
        unit: What weights are divided by.
        scale: The loss scaler's scale, a power of two.

    Returns:
        The loss and its weight; a weight of 0 leaves the gradients alone.

    Raises:
        RuntimeError: As the user's code or torch raised it.
        ValueError: As the user's code or torch raised it; some have a better sentence, see `refuse_by_name`.
    """
    replica.seed_generators(seed)
    try:
        with autocast(replica.device, replica.program.options.precision):
            value, factor, weight = weighed(replica.loss(replica.model, batch), len(one.positions))
        if weight == 0:
            return Measured(value=torch.zeros_like(value.detach()), factor=0.0, weight=0.0)
        _check_graph(value)
        # Share and scale enter as the gradient: the sum itself could leave fp16's range.
        value.backward(torch.full_like(value, factor / unit * scale))
    except (RuntimeError, ValueError) as error:
        refuse_by_name(error, one.node)
        raise
    return Measured(value=value.detach(), factor=factor, weight=weight)


def _check_graph(loss: torch.Tensor) -> None:
    if not loss.requires_grad:
        raise SpecError(
            "the loss does not depend on any parameter, so nothing can be learned from it; compute it without "
            ".detach(), .item() or torch.no_grad(), and give a batch in which no sample counts the weight 0"
        )


def power_of_two_near(weight: float) -> float:
    """Give the smallest power of two that is not below a weight.

    Args:
        weight: Above 0.

    Returns:
        A power of two; 1 for a weight of 0.
    """
    if weight <= 0:
        return 1.0
    mantissa, exponent = frexp(weight)
    return ldexp(1.0, exponent - 1 if mantissa == 0.5 else exponent)
