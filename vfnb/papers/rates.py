"""What a learning rate becomes when the batch does: the linear and the square-root rule."""

import math
import warnings

from vfnb.ground import SpecError

# Goyal et al. (arXiv 1706.02677, figure 1) lost nothing up to 32 times their base batch's rate, and a point at 64.
_HELD = 32.0
_LARGEST = 10.0


def linear_rate(rate: float, *, batch: int, base_batch: int) -> float:
    """Scale a rate as the batch is scaled (Goyal et al., arXiv 1706.02677).

    Args:
        rate: At the base batch.
        batch: The batch to train with.
        base_batch: The batch that the rate was chosen for.

    Returns:
        The rate; a warning names it where it is beyond what has held.
    """
    return _sensible(rate, _ratio(rate, batch, base_batch), batch, base_batch, "linear")


def sqrt_rate(rate: float, *, batch: int, base_batch: int) -> float:
    """Scale a rate by the square root of the batch's ratio (You et al., arXiv 1904.00962; Hoffer et al., 1705.08741).

    Args:
        rate: At the base batch.
        batch: The batch to train with.
        base_batch: The batch that the rate was chosen for.

    Returns:
        The rate; a warning names it where it is beyond what has held.
    """
    return _sensible(rate, math.sqrt(_ratio(rate, batch, base_batch)), batch, base_batch, "square-root")


def _ratio(rate: float, batch: int, base_batch: int) -> float:
    for name, value in (("batch", batch), ("base_batch", base_batch)):
        if value < 1:
            raise SpecError(f"{name}={value} is no batch; give 1 or more samples")
    if not (math.isfinite(rate) and rate > 0):
        raise SpecError(f"rate={rate} is no learning rate; give a number above 0")
    return batch / base_batch


def _sensible(rate: float, factor: float, batch: int, base_batch: int, rule: str) -> float:
    scaled = rate * factor
    if factor > _HELD or scaled > _LARGEST:
        warnings.warn(
            f"the {rule} rule asks for a learning rate of {scaled:g} at batch {batch:,}, {factor:g} times that of "
            f"batch {base_batch:,}; where it was published it held up to {_HELD:g} times, so expect this run to "
            "diverge: take a smaller batch or a rate of your own",
            stacklevel=3,
        )
    return scaled
