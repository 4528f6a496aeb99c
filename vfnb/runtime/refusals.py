"""What a user's model, loss or predict cannot do, said in a sentence where torch's own words would not help."""

import traceback
from math import inf
from pathlib import Path
from typing import Any

import torch

from vfnb.ground import SpecError

_DISTRIBUTED = Path(torch.distributed.__file__).parent
_SINGLE_SAMPLE = "Expected more than 1 value per channel when training"


def refuse_by_name(error: Exception, node: int) -> None:
    """Tell an exception of a pass in the user's terms, where it has any.

    Args:
        error: As raised.
        node: In which virtual node.

    Raises:
        SpecError: For a call into torch.distributed, and a single sample under batch norm.
    """
    frames = traceback.extract_tb(error.__traceback__)
    if frames and _DISTRIBUTED in Path(frames[-1].filename).parents:
        names = [frame.name for frame in frames if _DISTRIBUTED in Path(frame.filename).parents]
        public = [name for name in names if name != "wrapper" and not name.startswith("_")]  # torch wraps to log
        raise SpecError(
            f"the model or loss calls torch.distributed.{(public or names)[0]}; vfnb sums over virtual nodes itself: "
            "take the call out"
        ) from error
    if _SINGLE_SAMPLE in str(error):
        raise SpecError(
            f"virtual node {node} has a single sample, which batch norm cannot train on; take a larger batch or fewer "
            "devices, or leave a short last batch out with Options(drop_last=True)"
        ) from error


def check_dense(parameters: dict[str, torch.nn.Parameter]) -> None:
    """Refuse sparse gradients after a backward pass.

    Args:
        parameters: By name.

    Raises:
        SpecError: If one has a sparse gradient.
    """
    for name, one in parameters.items():
        if one.grad is not None and one.grad.layout is not torch.strided:
            raise SpecError(
                f"parameter {name} gets sparse gradients, which cannot be summed; make its layer with sparse=False"
            )


def weight_of(given: Any) -> float:
    """Read a loss's weight.

    Args:
        given: What `Weighted` holds.

    Returns:
        A finite number, 0 or above.

    Raises:
        SpecError: If it is none.
    """
    try:
        weight = float(given)
    except (TypeError, ValueError, RuntimeError) as error:
        raise SpecError(f"the loss has weight {given!r}, which is not one number; sum it over the batch") from error
    if not 0 <= weight < inf:
        raise SpecError(f"the loss has weight {weight}; a weight is a finite number from 0 up")
    return weight


def pair_of_predictions(given: Any) -> tuple[Any, Any]:
    """Read what predict returned.

    Args:
        given: By the user's function.

    Returns:
        Predictions and targets.

    Raises:
        SpecError: If it is no pair.
    """
    if isinstance(given, tuple | list) and len(given) == 2:
        return given[0], given[1]
    what = f"{len(given)} values" if isinstance(given, tuple | list) else f"a {type(given).__name__}"
    raise SpecError(f"predict returned {what}; return the pair (predictions, targets)")


def number_of(name: str, value: Any) -> float:
    """Read what a metric computed.

    Args:
        name: The metric's.
        value: Its `compute()`.

    Returns:
        The number.

    Raises:
        SpecError: If it is more than one number.
    """
    if isinstance(value, torch.Tensor):
        if value.numel() == 1:
            return float(value)
        given = f"a tensor of shape {tuple(value.shape)}"
    elif isinstance(value, int | float):
        return float(value)
    else:
        given = f"a {type(value).__name__}"
    raise SpecError(
        f"metric {name!r} gives {given}, and a curve needs one number a step; take a metric that averages, such as "
        "one with average='macro', or wrap it in a torchmetrics.Metric whose compute() returns a scalar"
    )
