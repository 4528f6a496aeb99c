"""The order-free sum where a device has no fp64: the same multiples of each tensor's grid, as int64."""

from collections.abc import Sequence
from math import ldexp

import torch
from torch import Tensor

from vfnb.numerics.grid import check_scale, grid_step, step_exponent
from vfnb.numerics.places import default_chunk, per_tensor, places_of


class IntGridSum:
    """An order-free sum in int64; the device never sees fp64.

    Law: `sum_of` and the means are the bits that a `GridSum` gives for the same contributions. `g / q` is
    exact in fp32 and rounds half to even, as `(g + M) - M` does in fp64.

    Args:
        shapes: The tensors' shapes, `()` for a scalar.
        contributions: The most contributions a step adds, `n`, over all workers: for all tensors, or one
            each.
        device: Where the sum lives.
        flat: Storage for it, so that several sums can share one collective; made here if None.
        chunk: Elements worked on at a time; None chooses what is fast.
    """

    def __init__(
        self,
        shapes: Sequence[Sequence[int]],
        contributions: int | Sequence[int],
        *,
        device: torch.device | str = "cpu",
        flat: Tensor | None = None,
        chunk: int | None = None,
    ) -> None:
        places = places_of(shapes)
        self.flat: Tensor = places.storage(flat, torch.int64, device)
        chunk = chunk or default_chunk(self.flat.device)
        scratch = self.flat.new_empty(places.scratch_numel(chunk), dtype=torch.float32)
        self._places = places
        self._contributions = per_tensor(contributions, len(places.shapes))
        self._exponents: list[int] = []
        self._factors: list[tuple[float, float]] = []
        self._tensors = places.all_pieces(self.flat, scratch, chunk)

    def begin_(self, exponents: Tensor | Sequence[int]) -> None:
        """Start a step: set the grids and zero the sums.

        Args:
            exponents: For each tensor the exponent of its capacity, as `Capacities.exponents` gives.
        """
        wanted = exponents.tolist() if isinstance(exponents, Tensor) else list(exponents)
        if wanted != self._exponents:
            self._factors = [_inverse(e, n) for e, n in zip(wanted, self._contributions, strict=True)]
            self._exponents = wanted
        self.flat.zero_()

    def zero_(self) -> None:
        """Set the sums to zero and keep the grids."""
        self.flat.zero_()

    @torch.no_grad()
    def add_(self, index: int, grad: Tensor, scale: float = 1.0) -> None:
        """Add one tensor's contribution.

        Args:
            index: Which tensor.
            grad: Its contribution, in fp32 or a shorter type, of any strides.
            scale: A power of two that it is multiplied by first, such as a loss scaler's inverse.
        """
        check_scale(scale)
        up, on = self._factors[index]
        tensor = self._tensors[index]
        for total, scratch, piece in zip(tensor.totals, tensor.scratches, tensor.cut(grad), strict=True):
            scratch.copy_(piece).mul_(up).mul_(on)
            if scale != 1.0:
                scratch.mul_(scale)  # after the others: before them a small number could lose digits
            total.add_(scratch.round_().to(torch.int64))

    def add_all_(self, grads: Sequence[Tensor | None], scale: float = 1.0) -> None:
        """Add a contribution of every tensor.

        Args:
            grads: The contributions in the tensors' order; None adds nothing.
            scale: A power of two that they are multiplied by first.
        """
        for index, grad in enumerate(grads):
            if grad is not None:
                self.add_(index, grad, scale)

    @torch.no_grad()
    def add_all_with_sqnorm_(self, grads: Sequence[Tensor | None], scale: float = 1.0) -> Tensor:
        """Add a contribution of every tensor and give its squared 2-norm, to fp32's precision.

        Args:
            grads: The contributions in the tensors' order; None adds nothing.
            scale: A power of two that they are multiplied by first.

        Returns:
            A 0-d fp32 tensor on the device: the squared norm of `scale` times all of `grads`.
        """
        self.add_all_(grads, scale)
        lines = [grad.reshape(-1).float() for grad in grads if grad is not None]
        if not lines:
            return torch.zeros((), dtype=torch.float32, device=self.flat.device)
        return torch.stack([torch.dot(line, line) for line in lines]).sum() * scale**2

    def sum_of(self, index: int) -> Tensor:
        """Give one tensor's sum in fp64 and its shape.

        Args:
            index: Which tensor.

        Returns:
            The sum, made on the CPU: the device has no fp64.
        """
        return self._sum_of(index, self._places.of(self.flat, index)).view(self._places.shapes[index])

    @torch.no_grad()
    def mean_into(self, index: int, out: Tensor, divisor: float) -> None:
        """Write one tensor's sum divided by a total weight.

        Args:
            index: Which tensor.
            out: Where to; rounded to its type once.
            divisor: What the sum is divided by, in fp64.
        """
        tensor = self._tensors[index]
        with tensor.written(out) as pieces:
            for total, piece in zip(tensor.totals, pieces, strict=True):
                # to `out`'s type on the CPU: the device could not even hold the fp64
                piece.copy_(self._sum_of(index, total).div_(divisor).to(out.dtype))

    def means_into(self, outs: Sequence[Tensor | None], divisor: float) -> None:
        """Write every sum divided by a total weight.

        Args:
            outs: Where to, in the tensors' order; None is left out.
            divisor: What the sums are divided by, in fp64.
        """
        for index, out in enumerate(outs):
            if out is not None:
                self.mean_into(index, out, divisor)

    def _sum_of(self, index: int, total: Tensor) -> Tensor:
        return total.cpu().double().mul_(grid_step(self._exponents[index], self._contributions[index]))


def _inverse(capacity_exponent: int, contributions: int) -> tuple[float, float]:
    """Give two powers of two whose product is `1 / q`, which alone may be too large for fp32.

    Both are at least 1 or both at most 1, so a number times the first and then the second loses no digit that
    the product keeps.
    """
    exponent = -step_exponent(capacity_exponent, contributions)
    half = exponent // 2
    return ldexp(1.0, half), ldexp(1.0, exponent - half)
