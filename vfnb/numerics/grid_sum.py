"""The order-free sum in fp64: a flat accumulator of contributions rounded to each tensor's grid."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

import torch
from torch import Tensor

from vfnb.numerics.grid import check_scale, grid_step, magic
from vfnb.numerics.places import Places, default_chunk, per_tensor, places_of


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """Small tensors side by side, worked on together: a call a group instead of four a tensor."""

    indices: tuple[int, ...]
    total: Tensor
    scratch: Tensor
    slots: list[Tensor]  # each tensor's part of the scratch, in its shape
    magics: Tensor  # each element's M
    parts: Sequence[Tensor]  # each tensor's part of the magics

    def add_(self, grads: list[Tensor], scale: float, sqnorms: list[Tensor] | None) -> None:
        torch._foreach_copy_(self.slots, grads)
        if scale != 1.0:
            self.scratch.mul_(scale)
        self.total.add_(self.scratch.add_(self.magics).sub_(self.magics))
        if sqnorms is not None:
            sqnorms.append(torch.dot(self.scratch, self.scratch))

    def means_into(self, outs: list[Tensor], divisor: Tensor) -> None:
        torch.div(self.total, divisor, out=self.scratch)
        torch._foreach_copy_(outs, self.slots)


class GridSum:
    """An order-free sum in fp64.

    Law: contributions of at most the capacity, `n` of them at most, give the same bits in any order and in
    any grouping over accumulators whose `flat` are added up; the error is at most `n q / 2` an element.

    Contributions are worked through one small fp64 scratch, chunk by chunk: twice as fast as the plain form,
    which goes through memory four times, and the only memory besides `flat`.

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
        self.flat: Tensor = places.storage(flat, torch.float64, device)
        chunk = chunk or default_chunk(self.flat.device)
        scratch = self.flat.new_empty(places.scratch_numel(chunk))
        self._places = places
        self._contributions = per_tensor(contributions, len(places.shapes))
        self._exponents: list[int] = []
        self._magics: list[float] = []
        self._tensors = places.all_pieces(self.flat, scratch, chunk)
        self._groups = [_group(places, group, self.flat, scratch) for group in places.groups]
        self._divisor = self.flat.new_empty(())  # a tensor, as CUDA multiplies by a number's reciprocal

    def begin_(self, exponents: Tensor | Sequence[int]) -> None:
        """Start a step: set the grids and zero the sums.

        Args:
            exponents: For each tensor the exponent of its capacity, as `Capacities.exponents` gives.
        """
        wanted = exponents.tolist() if isinstance(exponents, Tensor) else list(exponents)
        if wanted != self._exponents:
            self._set_grids(wanted)
        self.flat.zero_()

    def zero_(self) -> None:
        """Set the sums to zero and keep the grids."""
        self.flat.zero_()

    def add_(self, index: int, grad: Tensor, scale: float = 1.0) -> None:
        """Add one tensor's contribution.

        Args:
            index: Which tensor.
            grad: Its contribution, of any floating type and any strides.
            scale: A power of two that it is multiplied by first, such as a loss scaler's inverse.
        """
        check_scale(scale)
        self._add(index, grad, scale, None)

    @torch.no_grad()
    def add_all_(self, grads: Sequence[Tensor | None], scale: float = 1.0) -> None:
        """Add a contribution of every tensor; much faster than one by one where there are many small ones.

        Args:
            grads: The contributions in the tensors' order; None adds nothing.
            scale: A power of two that they are multiplied by first.
        """
        self._add_all(grads, scale, None)

    @torch.no_grad()
    def add_all_with_sqnorm_(self, grads: Sequence[Tensor | None], scale: float = 1.0) -> Tensor:
        """Add a contribution of every tensor and give its squared 2-norm, taken while it is in cache.

        Args:
            grads: The contributions in the tensors' order; None adds nothing.
            scale: A power of two that they are multiplied by first.

        Returns:
            A 0-d fp64 tensor on the device: the squared norm of `scale` times all of `grads`, rounded to
            the grid.
        """
        sqnorms: list[Tensor] = []
        self._add_all(grads, scale, sqnorms)
        return torch.stack(sqnorms).sum() if sqnorms else torch.zeros_like(self._divisor)

    def sum_of(self, index: int) -> Tensor:
        """View one tensor's sum in its shape.

        Args:
            index: Which tensor.

        Returns:
            The sum, a view of `flat`.
        """
        return self._places.of(self.flat, index).view(self._places.shapes[index])

    @torch.no_grad()
    def mean_into(self, index: int, out: Tensor, divisor: float) -> None:
        """Write one tensor's sum divided by a total weight.

        Args:
            index: Which tensor.
            out: Where to; rounded to its type once.
            divisor: What the sum is divided by, in fp64.
        """
        self._divisor.fill_(divisor)
        self._mean_into(index, out)

    @torch.no_grad()
    def means_into(self, outs: Sequence[Tensor | None], divisor: float) -> None:
        """Write every sum divided by a total weight.

        Args:
            outs: Where to, in the tensors' order; None is left out.
            divisor: What the sums are divided by, in fp64.
        """
        self._divisor.fill_(divisor)
        for group in self._groups:
            members = [outs[index] for index in group.indices]
            if _all_present(members):
                group.means_into(members, self._divisor)
            else:
                for index, out in zip(group.indices, members, strict=True):
                    if out is not None:
                        self._mean_into(index, out)
        for index in self._places.large:
            if (out := outs[index]) is not None:
                self._mean_into(index, out)

    def _set_grids(self, exponents: list[int]) -> None:
        before: Sequence[int | None] = self._exponents or [None] * len(exponents)
        self._magics = [magic(grid_step(e, n)) for e, n in zip(exponents, self._contributions, strict=True)]
        for group in self._groups:
            for index, part in zip(group.indices, group.parts, strict=True):
                if before[index] != exponents[index]:
                    part.fill_(self._magics[index])
        self._exponents = exponents

    def _add_all(self, grads: Sequence[Tensor | None], scale: float, sqnorms: list[Tensor] | None) -> None:
        check_scale(scale)
        for group in self._groups:
            members = [grads[index] for index in group.indices]
            if _all_present(members):
                group.add_(members, scale, sqnorms)
            else:
                for index, grad in zip(group.indices, members, strict=True):
                    if grad is not None:
                        self._add(index, grad, scale, sqnorms)
        for index in self._places.large:
            if (grad := grads[index]) is not None:
                self._add(index, grad, scale, sqnorms)

    def _add(self, index: int, grad: Tensor, scale: float, sqnorms: list[Tensor] | None) -> None:
        M = self._magics[index]
        tensor = self._tensors[index]
        for total, scratch, piece in zip(tensor.totals, tensor.scratches, tensor.cut(grad), strict=True):
            scratch.copy_(piece)
            if scale != 1.0:
                scratch.mul_(scale)
            total.add_(scratch.add_(M).sub_(M))
            if sqnorms is not None:
                line = scratch.view(-1)
                sqnorms.append(torch.dot(line, line))

    def _mean_into(self, index: int, out: Tensor) -> None:
        tensor = self._tensors[index]
        with tensor.written(out) as pieces:
            for total, scratch, piece in zip(tensor.totals, tensor.scratches, pieces, strict=True):
                piece.copy_(torch.div(total, self._divisor, out=scratch))


def _group(places: Places, indices: tuple[int, ...], flat: Tensor, scratch: Tensor) -> _Group:
    total = places.of_group(flat, indices)
    magics = torch.zeros_like(total)
    numels = [places.numels[index] for index in indices]
    scratch = scratch.narrow(0, 0, total.numel())
    slots = [part.view(places.shapes[index]) for index, part in zip(indices, scratch.split(numels), strict=True)]
    return _Group(indices=indices, total=total, scratch=scratch, slots=slots, magics=magics, parts=magics.split(numels))


def _all_present(tensors: list[Tensor | None]) -> TypeGuard[list[Tensor]]:
    return all(tensor is not None for tensor in tensors)
