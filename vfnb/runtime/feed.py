"""Bringing each pass its batch, on its device, in time.

Without loader processes a batch is read in the pass's own thread, before the pass is seeded: user code that may
draw never runs beside a pass. On CUDA the next batch is read while the device still computes, and copied on a
stream of its own. With loader processes the next passes' batches are asked for ahead, into the following steps
too; what counts as read is what was committed, so asking ahead has no effect on anything.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Protocol

import torch

from vfnb.runtime.passes import Pass
from vfnb.runtime.placement import moved
from vfnb.runtime.program import Batch, Program
from vfnb.runtime.reading import Request, collated, epoch_order, gathered


class Loaders(Protocol):
    """Processes that read batches ahead."""

    depth: int

    def ask(self, request: Request) -> "Future[Batch]":
        """Have a batch read; returns at once."""
        ...


class Feed:
    """The batches of one worker.

    Args:
        program: What is trained.
        device: Where batches go.
        loaders: Processes that read ahead; None to read here.
    """

    def __init__(self, program: Program, device: torch.device, loaders: Loaders | None = None) -> None:
        self._program, self._device, self._loaders = program, device, loaders
        self._asked: OrderedDict[Request, Future[Batch]] = OrderedDict()
        self._sliced = 0, (0, range(0))  # of no step
        self._stream = torch.cuda.Stream(device) if device.type == "cuda" else None

    def samples_in(self, step: int) -> int:
        """Count the samples of a step's batch.

        Args:
            step: From 1.

        Returns:
            The global batch of its time, or fewer in an epoch's short last one.
        """
        return len(self._slice(step)[1])

    def epoch_of(self, step: int) -> int:
        """Tell which epoch a step is of.

        Args:
            step: From 1.

        Returns:
            The epoch, from 0.
        """
        return self._slice(step)[0]

    def batches(self, step: int, passes: Sequence[Pass], ahead: Callable[[int], Sequence[Pass]]) -> Iterator[Batch]:
        """Give each pass its batch, in order.

        Args:
            step: The step.
            passes: The worker's, in this step.
            ahead: The worker's passes in a later step, were nothing to change.

        Yields:
            A pass's batch on the device.
        """
        if self._loaders is None:
            for one, rows in zip(passes, self._rows(step, passes), strict=True):
                yield self.placed(self._read(step, one, rows))
            return
        for place, one in enumerate(passes):
            self._ask_ahead(step, passes[place:], ahead)
            yield self.placed(self._asked.pop(self._request(step, one)).result())

    def read(self, step: int, one: Pass) -> Batch:
        """Read a pass's batch in this thread; seeds and leaves the global generators changed.

        Args:
            step: The step.
            one: The pass.

        Returns:
            The batch, on the CPU.
        """
        (rows,) = self._rows(step, (one,))
        return self._read(step, one, rows)

    def forget(self) -> None:
        """Drop what was asked ahead: the worker's blocks have changed."""
        for future in self._asked.values():
            future.cancel()
        self._asked.clear()

    def _read(self, step: int, one: Pass, rows: torch.Tensor) -> Batch:
        source = self._program.train
        tensors = gathered(source, rows)
        return collated(source, self._program.seed, self._asking(step, one, rows)) if tensors is None else tensors

    def _request(self, step: int, one: Pass) -> Request:
        (rows,) = self._rows(step, (one,))
        return self._asking(step, one, rows)

    def _asking(self, step: int, one: Pass, rows: torch.Tensor) -> Request:
        return Request(epoch=self._slice(step)[0], step=step, node=one.node, indices=tuple(rows.tolist()))

    def _rows(self, step: int, passes: Sequence[Pass]) -> tuple[torch.Tensor, ...]:
        """Cut the passes' samples out of the epoch's order, ascending passes in one go."""
        epoch, within = self._slice(step)
        train = self._program.train
        order = epoch_order(len(train.dataset), self._program.seed, epoch, train.shuffle)
        sizes, at = [], -within.start
        for one in passes:
            sizes += [one.positions.start - at, len(one.positions)]
            at = one.positions.stop
        parts: tuple[torch.Tensor, ...] = order.split([*sizes, len(order) - within.start - at])
        return parts[1::2]

    def _slice(self, step: int) -> tuple[int, range]:
        if step != self._sliced[0]:  # each of a step's passes asks
            self._sliced = step, self._program.course.at(step)
        return self._sliced[1]

    def _ask_ahead(self, step: int, rest: Sequence[Pass], ahead: Callable[[int], Sequence[Pass]]) -> None:
        assert self._loaders is not None, "asking ahead needs loaders"
        wanted = [(step, one) for one in rest[: self._loaders.depth]]
        later = step
        while len(wanted) < self._loaders.depth and later < self._program.steps:
            later += 1
            wanted += [(later, one) for one in ahead(later)[: self._loaders.depth - len(wanted)]]
        for when, one in wanted:
            request = self._request(when, one)
            if request not in self._asked:
                self._asked[request] = self._loaders.ask(request)

    def placed(self, batch: Batch) -> Batch:
        """Put a batch on the device.

        Args:
            batch: On the CPU.

        Returns:
            It on the device; on CUDA the copy runs beside what is being computed.
        """
        if self._stream is None:
            return moved(batch, self._device)
        with torch.cuda.stream(self._stream):
            placed = moved(_pinned(batch), self._device)
        torch.cuda.current_stream(self._device).wait_stream(self._stream)
        _used_by_current_stream(placed, self._device)
        return placed


def _pinned(batch: Batch) -> Batch:
    from torch.utils.data._utils.pin_memory import pin_memory

    return pin_memory(batch)


def _used_by_current_stream(batch: Batch, device: torch.device) -> None:
    # The copy's memory belongs to the side stream: say who reads it, or it is re-used too early.
    if isinstance(batch, torch.Tensor):
        batch.record_stream(torch.cuda.current_stream(device))
    elif isinstance(batch, dict):
        for part in batch.values():
            _used_by_current_stream(part, device)
    elif isinstance(batch, list | tuple):
        for part in batch:
            _used_by_current_stream(part, device)
