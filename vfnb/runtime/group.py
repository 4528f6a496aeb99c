"""The workers of one generation as a group that sums and votes; each group is formed once and never re-used.

The groups are objects of their own, not torch's default group: nothing to sync with by accident, no environment
variables, and nothing that listens beyond loopback.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import AllgatherOptions

# An uneven mapping waits minutes for its slowest worker, rightly: the driver watches, not the collective.
_PATIENCE = timedelta(days=30)
_LOOK = timedelta(seconds=1)  # how often who waits asks whether the generation is abandoned
_LEFT: list[Any] = []  # groups with work that may never end: to drop one would wait for it (ADR 0019)


class GroupError(Exception):
    """A collective did not complete: a member is gone."""


@runtime_checkable
class Group(Protocol):
    """What a step needs of the other workers."""

    @property
    def size(self) -> int:
        """How many members the group has."""
        ...

    def max_(self, vector: torch.Tensor) -> None:
        """Replace a CPU vector by the elementwise maximum over members; no element may be NaN."""
        ...

    def sum_(self, tensors: Iterable[torch.Tensor], begun: Callable[[], None]) -> None:
        """Replace each tensor by its sum over members; `begun` is called once the first is under way."""
        ...

    def gather(self, data: bytes) -> list[bytes]:
        """Give every member's bytes to all, in the order of worker ids."""
        ...

    def broadcast_(self, tensor: torch.Tensor, place: int) -> None:
        """Replace a CPU tensor by that of the member at a place in the order of worker ids."""
        ...


class Alone:
    """The group of one worker: nothing to add."""

    size = 1

    def max_(self, vector: torch.Tensor) -> None:
        """Leave the vector as it is.

        Args:
            vector: Any.
        """

    def sum_(self, tensors: Iterable[torch.Tensor], begun: Callable[[], None]) -> None:
        """Leave the tensors as they are.

        Args:
            tensors: Any.
            begun: Called once.
        """
        begun()

    def gather(self, data: bytes) -> list[bytes]:
        """Give back the one member's bytes.

        Args:
            data: Its bytes.

        Returns:
            Them, in a list.
        """
        return [data]

    def broadcast_(self, tensor: torch.Tensor, place: int) -> None:
        """Leave the tensor as it is.

        Args:
            tensor: Any.
            place: 0.
        """


class Processes:
    """A group of worker processes: votes over gloo on loopback, sums over gloo or, between GPUs, nccl.

    Args:
        store: A file of this generation alone, in a private folder.
        rank: This worker's place among the members by id.
        size: How many members there are.
        nccl: Whether tensors on the device are summed by nccl (each member on a GPU of its own).
        patience: Seconds to wait for the others while forming.
        abandoned: Whether the generation is known to be broken: a collective under way is left then, since gloo does
            not tell each survivor of each loss.

    Raises:
        GroupError: If the group could not be formed: a member is gone.
    """

    def __init__(
        self, store: Path, rank: int, size: int, *, nccl: bool, patience: float, abandoned: Callable[[], bool]
    ) -> None:
        self.size = size
        self._store, self._abandoned = store, abandoned
        limit = timedelta(seconds=patience)
        try:
            file = dist.FileStore(str(store), size)
            file.set_timeout(limit)
            self._votes = _gloo(dist.PrefixStore("gloo", file), rank, size, limit)
            self._sums = _nccl(dist.PrefixStore("nccl", file), rank, size) if nccl else self._votes
        except RuntimeError as error:
            store.unlink(missing_ok=True)  # as in __del__
            raise GroupError(str(error)) from None

    def __del__(self) -> None:
        # Torch signs off in a store's file that is still there, and where the disk is full that aborts the process.
        self._store.unlink(missing_ok=True)

    def max_(self, vector: torch.Tensor) -> None:
        """Replace a CPU vector by the elementwise maximum over members.

        Args:
            vector: On the CPU, without NaN: gloo keeps or loses one by its place.

        Raises:
            GroupError: If a member is gone.
        """
        self._complete(_reduced(self._votes, vector, dist.ReduceOp.MAX))

    def sum_(self, tensors: Iterable[torch.Tensor], begun: Callable[[], None]) -> None:
        """Replace each tensor by its sum over members; one after another in the given order.

        Args:
            tensors: Dense and contiguous.
            begun: Called once the first sum is under way.

        Raises:
            GroupError: If a member is gone.
        """
        for place, tensor in enumerate(tensors):
            # One at a time: work that is still pending when another fails keeps the group from being dropped.
            group = self._sums if tensor.is_cuda else self._votes
            # Gloo is given the host's memory: between devices of several kinds nothing else is common to all.
            sent = tensor.cpu() if group is self._votes else tensor
            try:
                work = _reduced(group, sent, dist.ReduceOp.SUM)
            except RuntimeError as error:
                raise GroupError(str(error)) from None
            if place == 0:
                begun()
            if group is self._votes:
                self._complete(work)
            else:
                _completed(work)
            if sent is not tensor:
                tensor.copy_(sent)

    def gather(self, data: bytes) -> list[bytes]:
        """Give every member's bytes to all.

        Args:
            data: This member's.

        Returns:
            All members' bytes, by rank.

        Raises:
            GroupError: If a member is gone.
        """
        length = torch.tensor([len(data)], dtype=torch.int64)
        lengths = [int(one) for one in self._gathered(length)]
        padded = torch.zeros(max(*lengths, 1), dtype=torch.uint8)
        if data:
            padded[: len(data)] = torch.frombuffer(bytearray(data), dtype=torch.uint8)
        parts = self._gathered(padded)
        return [part[:size].numpy().tobytes() for part, size in zip(parts, lengths, strict=True)]

    def broadcast_(self, tensor: torch.Tensor, place: int) -> None:
        """Replace a tensor by another member's.

        Args:
            tensor: On the CPU, dense and contiguous.
            place: The other's rank.

        Raises:
            GroupError: If a member is gone.
        """
        options = dist.BroadcastOptions()
        options.rootRank, options.rootTensor, options.timeout = place, 0, _PATIENCE
        try:
            work = self._votes.broadcast([tensor], options)
        except RuntimeError as error:
            raise GroupError(str(error)) from None
        self._complete(work)

    def _gathered(self, tensor: torch.Tensor) -> list[torch.Tensor]:
        options = AllgatherOptions()
        options.timeout = _PATIENCE
        outputs = [torch.empty_like(tensor) for _ in range(self.size)]
        try:
            work = self._votes.allgather([outputs], [tensor], options)
        except RuntimeError as error:
            raise GroupError(str(error)) from None
        self._complete(work)
        return outputs

    def _complete(self, work: Any) -> None:
        """Wait for work of gloo's, or leave it: what it was given may be written into for ever after."""
        while True:
            with suppress(RuntimeError):  # it failed, or the time ran out
                work.wait(_LOOK)
                return
            if work.is_completed():
                _completed(work)
                return
            if self._abandoned():
                _LEFT.append((self._votes, self._sums, work))
                raise GroupError("the generation is abandoned, and its collective does not end")


def _gloo(store: Any, rank: int, size: int, limit: timedelta) -> Any:
    gloo: Any = dist.ProcessGroupGloo
    options = gloo._Options()  # noqa: SLF001  # the class has no public spelling
    options._devices = [dist.ProcessGroupGloo.create_device(hostname="127.0.0.1")]  # noqa: SLF001  # likewise
    options._timeout = limit  # noqa: SLF001  # likewise
    return dist.ProcessGroupGloo(store, rank, size, options)


def _nccl(store: Any, rank: int, size: int) -> Any:
    options = dist.ProcessGroupNCCL.Options()
    options._timeout = _PATIENCE  # noqa: SLF001  # the class has no public spelling
    return dist.ProcessGroupNCCL(store, rank, size, options)


def _reduced(group: Any, tensor: torch.Tensor, operation: Any) -> Any:
    options = dist.AllreduceOptions()
    options.reduceOp = operation
    options.timeout = _PATIENCE
    return group.allreduce([tensor], options)


def _completed(work: Any) -> None:
    # `from None`: a kept traceback would keep the group, and with it the sockets that tell the others.
    try:
        work.wait()
    except RuntimeError as error:
        raise GroupError(str(error)) from None
