"""What becomes of a model's buffers in a step: nodes start from the same, and one result comes out.

Letters: `b0` is a buffer at the start of the step, `b_v` after virtual node v's pass, `n_v` the node's
samples, `B` the step's.
"""

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn

from vfnb.ground import StateError
from vfnb.numerics.grid import has_fp64
from vfnb.numerics.packing import unique_buffers

LARGE = 65_536  # elements; larger buffers are masks, tables and codebooks: they rarely change, and weigh

_Holder = dict[str, Tensor | None]  # a module's own buffers


class BufferMean:
    """The buffers of one replica through a step.

    Floating buffers become `b0 + sum(n_v (b_v - b0)) / B`, so that elements that no node changes keep their
    bits; nodes add up in fp64 in their order inside a block, and a block is one contribution to an order-free
    sum. Integer and bool buffers, and all of them under `policy="first"`, become virtual node 0's: a counter
    advances once a step, not once a pass.

    A step is `snapshot_`; for each pass `restore_`, the pass, `add_`; after each block `contributions`;
    after the last `first_bits`; then `commit_` with what was summed over workers, or `restore_` if the step
    is dropped.

    A pass may write into a buffer or put another tensor in its place. Every buffer is restored and read each
    time: batch norm's kernels and writes through `.data` leave a tensor's version counter as it was.

    Args:
        model: The replica's model.
        policy: What becomes of floating buffers: their mean, or virtual node 0's.
    """

    def __init__(self, model: nn.Module, policy: Literal["mean", "first"] = "mean") -> None:
        buffers = unique_buffers(model)
        self._slots = _slots(model, buffers)
        self._where: dict[str, tuple[_Holder, str, torch.Size, torch.dtype]] = {}
        for holder, key, name in self._slots:
            self._where.setdefault(name, (holder, key, buffers[name].shape, buffers[name].dtype))
        self._originals = buffers
        self._saved = {name: buffer.detach().clone() for name, buffer in buffers.items()}
        self._own = [name for name, buffer in buffers.items() if not _overlaps(buffer)]
        mean = [n for n, buffer in buffers.items() if policy == "mean" and buffer.is_floating_point()]
        self.names: tuple[str, ...] = tuple(mean)
        self.shapes: tuple[tuple[int, ...], ...] = tuple(tuple(buffers[name].shape) for name in mean)
        self._mean = _Mean([self._saved[name] for name in mean])
        first = [name for name in buffers if name not in set(mean)]
        self._first = [name for name in first if buffers[name].numel() <= LARGE]
        self._large = [name for name in first if buffers[name].numel() > LARGE]
        self._node0: dict[str, Tensor] = {}
        self._changed: list[str] = []  # large ones that node 0 changed

    def snapshot_(self) -> None:
        """Keep the buffers as they stand: the step's start."""
        self._originals = self._read()
        _copy(list(self._saved.values()), list(self._originals.values()))
        self._mean.begin_()
        self._node0, self._changed = {}, []

    def restore_(self) -> None:
        """Set every buffer back to the step's start, the tensors themselves included."""
        if not self._slots:
            return
        for holder, key, name in self._slots:
            if holder.get(key) is not self._originals[name]:
                holder[key] = self._originals[name]
        _copy([self._originals[name] for name in self._own], [self._saved[name] for name in self._own])

    def add_(self, node: int, samples: float) -> None:
        """Take in what a virtual node's pass has left in the buffers.

        Args:
            node: The virtual node; those of a block come in ascending order.
            samples: Its samples, `n_v`.

        Raises:
            StateError: If a buffer is gone, or changed its shape or type.
        """
        if not self._where:
            return
        live = self._read()
        self._mean.add_([live[name] for name in self.names], samples)
        if node == 0:
            self._changed = [name for name in self._large if not torch.equal(live[name], self._saved[name])]
            self._node0 = {name: live[name].clone() for name in (*self._first, *self._changed)}

    def contributions(self) -> list[Tensor | None]:
        """Give the block's `sum(n_v (b_v - b0))` of each averaged buffer and start the next block.

        Returns:
            A contribution for each of `names`, to be added to the order-free sum before the next `add_`; None
            where no pass of the block reached it. The sum expects one a block.
        """
        return self._mean.taken()

    def first_bits(self, dtype: torch.dtype = torch.float64) -> Tensor:
        """Give virtual node 0's buffers as numbers that survive a SUM over workers.

        Each 32 bits are an integer; where node 0 was not computed all are 0.

        Args:
            dtype: Of the collective: fp64 or int64.

        Returns:
            One dimension on the CPU, equally long on every worker.
        """
        flags = torch.zeros(len(self._large), dtype=torch.int32)
        flags[[self._large.index(name) for name in self._changed]] = 1
        return torch.cat([flags, self._packed(self._first)]).to(dtype)

    def large_bits(self, first_bits: Tensor) -> Tensor | None:
        """Give the large ones among virtual node 0's buffers, where it changed any.

        Args:
            first_bits: What came out of the SUM.

        Returns:
            None for nothing to do, on every worker or none; else one dimension that goes through a SUM too.
        """
        names = self._named(first_bits)
        return self._packed(names).to(first_bits.dtype) if names else None

    @torch.no_grad()
    def commit_(
        self, sums: Sequence[Tensor], samples: float, first_bits: Tensor, large_bits: Tensor | None = None
    ) -> None:
        """Set the buffers to the step's result.

        Args:
            sums: For each of `names` the fp64 sum over all blocks.
            samples: The step's samples, `B`.
            first_bits: What came out of the SUM of `first_bits`.
            large_bits: What came out of the SUM of `large_bits`, if there was one.
        """
        results = dict(zip(self.names, self._mean.results(sums, samples), strict=True))
        results |= self._unpacked(self._first, first_bits[len(self._large) :])
        if large_bits is not None:
            results |= self._unpacked(self._named(first_bits), large_bits)
        self.restore_()
        own = [name for name in self._own if name in results]
        _copy([self._originals[name] for name in own], [results[name] for name in own])
        replaced = {
            name: result.to(self._saved[name].dtype, copy=True)  # an expanded view cannot be written into
            for name, result in results.items()
            if name not in self._own and not torch.equal(result.to(self._saved[name].dtype), self._saved[name])
        }
        for holder, key, name in self._slots:
            holder[key] = replaced.get(name, self._originals[name])

    def _read(self) -> dict[str, Tensor]:
        live = {}
        for name, (holder, key, shape, dtype) in self._where.items():
            buffer = holder.get(key)
            if buffer is None or buffer.shape != shape or buffer.dtype != dtype:
                found = "is gone" if buffer is None else f"is {buffer.dtype} of shape {tuple(buffer.shape)}"
                raise StateError(
                    f"buffer {name!r} was {dtype} of shape {tuple(shape)} and {found} after a pass; "
                    f"give it its final shape and type before training"
                )
            live[name] = buffer
        return live

    def _named(self, first_bits: Tensor) -> list[str]:
        flags = first_bits[: len(self._large)].tolist()
        return [name for name, flag in zip(self._large, flags, strict=True) if flag]

    def _packed(self, names: Sequence[str]) -> Tensor:
        size = sum(self._saved[name].nbytes for name in names)
        padded = torch.zeros(-(-size // 4) * 4, dtype=torch.uint8)
        if self._node0 and names:
            torch.cat([self._node0[n].cpu().reshape(-1).view(torch.uint8) for n in names], out=padded[:size])
        return padded.view(torch.int32)

    def _unpacked(self, names: Sequence[str], bits: Tensor) -> dict[str, Tensor]:
        raw = bits.cpu().to(torch.int32).view(torch.uint8)
        found, at = {}, 0
        for name in names:
            saved = self._saved[name]
            part = raw[at : at + saved.nbytes].clone()  # a view as a wider type wants its own alignment
            found[name] = part.view(saved.dtype).view(saved.shape)
            at += saved.nbytes
        return found


class _Mean:
    """The averaged buffers' sums over a block's passes; small ones go through one flat tensor together."""

    def __init__(self, saved: Sequence[Tensor]) -> None:
        self._saved = list(saved)
        self._small = [index for index, buffer in enumerate(saved) if buffer.numel() <= LARGE]
        self._large = [index for index, buffer in enumerate(saved) if buffer.numel() > LARGE]
        device = saved[0].device if saved else torch.device("cpu")
        self._dtype = torch.float64 if has_fp64(device) else torch.float32
        numels = [saved[index].numel() for index in self._small]
        flat = torch.zeros(sum(numels), dtype=self._dtype, device=device)
        self._base, self._now, self._total = flat, flat.clone(), flat.clone()
        cut = [tensor.split(numels) for tensor in (self._base, self._now, self._total)]
        shapes = [saved[index].shape for index in self._small]
        self._bases, self._nows, self._totals = (
            [part.view(shape) for part, shape in zip(parts, shapes, strict=True)] for parts in cut
        )
        self._large_totals: dict[int, Tensor] = {}
        self._finite = True
        self._empty = True

    def begin_(self) -> None:
        _copy(self._bases, [self._saved[index] for index in self._small])
        self._finite = bool(torch.isfinite(self._base).all())
        self._empty, self._large_totals = True, {}

    @torch.no_grad()
    def add_(self, live: Sequence[Tensor], samples: float) -> None:
        if self._small:
            _copy(self._nows, [live[index] for index in self._small])
            change = self._difference(self._now, self._base, self._finite).mul_(samples)
            if self._empty:
                self._total.copy_(change)
            else:
                self._total.add_(change)
            self._empty = False
        for index in self._large:
            if torch.equal(live[index], self._saved[index]):
                continue
            base = self._saved[index].to(self._dtype)
            change = self._difference(live[index].to(self._dtype, copy=True), base, False).mul_(samples)
            if index in self._large_totals:
                self._large_totals[index].add_(change)
            else:
                self._large_totals[index] = change

    def taken(self) -> list[Tensor | None]:
        found: list[Tensor | None] = [None] * len(self._saved)
        if not self._empty:
            for index, total in zip(self._small, self._totals, strict=True):
                found[index] = total
        for index, total in self._large_totals.items():
            found[index] = total
        self._empty, self._large_totals = True, {}
        return found

    def results(self, sums: Sequence[Tensor], samples: float) -> list[Tensor]:
        """Give `b0 + sum / B` of every buffer, to be copied before the next `add_`; `b0` where a sum is 0."""
        found = list(sums)
        together = self._small if self._dtype == torch.float64 else []
        if together:
            _copy(self._nows, [sums[index] for index in together])
            still = self._now == 0  # where b0 + 0 would turn -0.0 into 0.0
            self._now.copy_(torch.where(still, self._base, self._now.div_(samples).add_(self._base)))
            for index, now in zip(together, self._nows, strict=True):
                found[index] = now
        for index in set(range(len(found))).difference(together):
            found[index] = _result(self._saved[index], sums[index], samples)
        return found

    def _difference(self, now: Tensor, base: Tensor, finite: bool) -> Tensor:
        """Take `base` from `now` in place; what stayed infinite, or NaN, has not changed."""
        if finite:
            return now.sub_(base)
        same = (now == base) | (now.isnan() & base.isnan())
        return now.sub_(base).masked_fill_(same, 0.0)


def _result(b0: Tensor, total: Tensor, samples: float) -> Tensor:
    """Give `b0 + sum / B` of one buffer, computed where fp64 is."""
    total = total.to(b0.device) if has_fp64(b0.device) else total.cpu()
    result = (b0.to(total.device).double() + total / samples).to(b0.dtype).to(b0.device)
    return torch.where((total == 0).to(b0.device), b0, result)


def _slots(model: nn.Module, buffers: dict[str, Tensor]) -> list[tuple[_Holder, str, str]]:
    """Find every place where a buffer hangs, with the first of its names."""
    names = {id(buffer): name for name, buffer in buffers.items()}
    holders = [module._buffers for module in model.modules()]  # noqa: SLF001 - to put a replaced tensor back
    return [
        (holder, key, names[id(buffer)]) for holder in holders for key, buffer in holder.items() if buffer is not None
    ]


def _overlaps(buffer: Tensor) -> bool:
    """Tell whether elements share memory (an expanded view): nothing can write into it."""
    return any(stride == 0 and size > 1 for stride, size in zip(buffer.stride(), buffer.shape, strict=True))


def _copy(targets: list[Tensor], sources: list[Tensor]) -> None:
    if targets:
        with torch.no_grad():
            torch._foreach_copy_(targets, sources)
