"""Where each tensor of an order-free sum lies in its flat accumulator, and in what pieces."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor

CPU_CHUNK = 32_768  # elements a thread: 256 KiB of fp64 stay in cache; also the grain of torch's own threads
DEVICE_CHUNK = 1 << 22  # a launch costs more than a cache miss there
SMALL = 4_096  # elements; smaller tensors are worked on together, a call a group instead of four a tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """One tensor cut into chunks: in its own shape where one chunk holds it, else flat."""

    totals: tuple[Tensor, ...]
    scratches: tuple[Tensor, ...]

    def cut(self, tensor: Tensor) -> Sequence[Tensor]:
        """Cut a tensor of that shape alike, to be read."""
        if len(self.totals) == 1:
            return (tensor,)
        return tensor.reshape(-1).split(self.totals[0].numel()) if self.totals else ()

    @contextmanager
    def written(self, out: Tensor) -> Iterator[Sequence[Tensor]]:
        """Cut a tensor of that shape alike, to be written: its strides do not matter."""
        if len(self.totals) == 1 or out.is_contiguous():
            yield self.cut(out)
            return
        line = torch.empty(out.numel(), dtype=out.dtype, device=out.device)
        yield self.cut(line)
        out.copy_(line.view(out.shape))


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The layout of a flat accumulator: small tensors first, group by group, then the large ones."""

    shapes: tuple[tuple[int, ...], ...]
    numels: tuple[int, ...]
    offsets: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    large: tuple[int, ...]
    total: int

    def of(self, flat: Tensor, index: int) -> Tensor:
        """View one tensor's elements of a flat tensor."""
        return flat.narrow(0, self.offsets[index], self.numels[index])

    def storage(self, flat: Tensor | None, dtype: torch.dtype, device: torch.device | str) -> Tensor:
        """Make the accumulator, or take the one that is given."""
        if flat is None:
            return torch.zeros(self.total, dtype=dtype, device=device)
        assert flat.shape == (self.total,), f"flat is {tuple(flat.shape)}, not {self.total} elements"
        assert flat.dtype == dtype, f"flat is {flat.dtype}, not {dtype}"
        return flat

    def all_pieces(self, flat: Tensor, scratch: Tensor, chunk: int) -> list[Pieces]:
        """Cut every tensor's elements of `flat`."""
        return [self.pieces(index, flat, scratch, chunk) for index in range(len(self.shapes))]

    def pieces(self, index: int, flat: Tensor, scratch: Tensor, chunk: int) -> Pieces:
        """Cut one tensor's elements of `flat`, and the scratch that each chunk goes through."""
        totals = self.of(flat, index)
        if 0 < totals.numel() <= chunk:
            shape = self.shapes[index]
            return Pieces(totals=(totals.view(shape),), scratches=(scratch[: totals.numel()].view(shape),))
        cut = totals.split(chunk) if totals.numel() else ()
        return Pieces(totals=tuple(cut), scratches=tuple(scratch[: total.numel()] for total in cut))

    def scratch_numel(self, chunk: int) -> int:
        """Count the elements that the largest piece of work needs."""
        groups = [sum(self.numels[index] for index in group) for group in self.groups]
        return max([*groups, *(min(numel, chunk) for numel in self.numels)], default=0)

    def of_group(self, flat: Tensor, group: Sequence[int]) -> Tensor:
        """View the elements of a whole group; its tensors lie side by side."""
        return flat.narrow(0, self.offsets[group[0]], sum(self.numels[index] for index in group))


def places_of(shapes: Sequence[Sequence[int]]) -> Places:
    """Lay tensors out.

    Args:
        shapes: Their shapes.

    Returns:
        The layout, a function of the shapes alone: equal on every worker, whatever its device.
    """
    numels = tuple(prod(shape) for shape in shapes)
    groups = _groups(numels)
    grouped = {index for group in groups for index in group}
    large = tuple(index for index in range(len(numels)) if index not in grouped)
    offsets, at = [0] * len(numels), 0
    for index in (*(index for group in groups for index in group), *large):
        offsets[index] = at
        at += numels[index]
    return Places(
        shapes=tuple(tuple(shape) for shape in shapes),
        numels=numels,
        offsets=tuple(offsets),
        groups=groups,
        large=large,
        total=at,
    )


def default_chunk(device: torch.device) -> int:
    """Give the chunk that is fastest on a device."""
    return CPU_CHUNK * torch.get_num_threads() if device.type == "cpu" else DEVICE_CHUNK


def per_tensor(contributions: int | Sequence[int], tensors: int) -> tuple[int, ...]:
    """Give each tensor its own count of contributions."""
    counts = (contributions,) * tensors if isinstance(contributions, int) else tuple(contributions)
    assert len(counts) == tensors, f"{len(counts)} counts of contributions for {tensors} tensors"
    return counts


def _groups(numels: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    groups: list[list[int]] = []
    room = 0
    for index, numel in enumerate(numels):
        if not 0 < numel <= SMALL:
            continue
        if numel > room:
            groups.append([])
            room = CPU_CHUNK
        groups[-1].append(index)
        room -= numel
    return tuple(tuple(group) for group in groups if len(group) > 1)
