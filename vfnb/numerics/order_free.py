"""The contract of an order-free sum, and which form of it a device gets."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from vfnb.numerics.grid import has_fp64
from vfnb.numerics.grid_sum import GridSum
from vfnb.numerics.int_grid_sum import IntGridSum


@runtime_checkable
class OrderFreeSum(Protocol):
    """What the two forms of the sum share: fp64, and int64 where a device has no fp64."""

    @property
    def flat(self) -> Tensor:
        """Every element of every tensor in one dimension: the caller all-reduces it with one SUM."""
        ...

    def begin_(self, exponents: Tensor | Sequence[int]) -> None:
        """Start a step: set the grids from the capacities' exponents, and the sums to zero."""
        ...

    def zero_(self) -> None:
        """Set the sums to zero."""
        ...

    def add_(self, index: int, grad: Tensor, scale: float = 1.0) -> None:
        """Add one tensor's contribution, `scale` times `grad` on its grid."""
        ...

    def add_all_(self, grads: Sequence[Tensor | None], scale: float = 1.0) -> None:
        """Add a contribution of every tensor; None adds nothing."""
        ...

    def add_all_with_sqnorm_(self, grads: Sequence[Tensor | None], scale: float = 1.0) -> Tensor:
        """Add a contribution of every tensor and give its squared 2-norm, without waiting for the device."""
        ...

    def sum_of(self, index: int) -> Tensor:
        """Give one tensor's sum in fp64, in its shape."""
        ...

    def mean_into(self, index: int, out: Tensor, divisor: float) -> None:
        """Write one tensor's sum divided by `divisor` into `out`."""
        ...

    def means_into(self, outs: Sequence[Tensor | None], divisor: float) -> None:
        """Write every sum divided by `divisor` into its `out`; None is left out."""
        ...


def order_free_sum(
    shapes: Sequence[Sequence[int]],
    contributions: int | Sequence[int],
    *,
    device: torch.device | str = "cpu",
) -> OrderFreeSum:
    """Make the form of the sum that a device can compute; both forms give the same bits.

    Args:
        shapes: The tensors' shapes, `()` for a scalar.
        contributions: The most contributions a step adds, over all workers: for all tensors, or one each.
        device: Where the sum lives.

    Returns:
        A `GridSum`, or an `IntGridSum` where the device has no fp64.
    """
    form = GridSum if has_fp64(device) else IntGridSum
    return form(shapes, contributions, device=device)
