"""Loader processes of a worker: they read batches ahead and outlive every change of mapping.

They come from a fork server of their own, never from a fork of the worker, whose sockets they would hold open
after its death; and they die with it. Batches come back as bytes: shared memory is 64 MB in containers.
"""

import io
import os
import pickle
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from vfnb.runtime.payload import unship
from vfnb.runtime.program import Batch, Program, Source
from vfnb.runtime.reading import Request, read

_program: Program | None = None  # a loader process serves one program


class LoaderProcesses:
    """A pool of loader processes.

    Args:
        payload: The program's file.
        count: How many processes.
    """

    def __init__(self, payload: Path, count: int) -> None:
        context = get_context("forkserver")
        context.set_forkserver_preload(["vfnb.runtime.loaders"])
        self._pool = ProcessPoolExecutor(
            count, mp_context=context, initializer=_begin, initargs=(str(payload), os.getpid())
        )
        self.depth = 2 * count

    def ask(self, request: Request) -> "Future[Batch]":
        """Have a training batch read.

        Args:
            request: Which.

        Returns:
            The batch, when it is there; or the user's exception.
        """
        answer: Future[Batch] = Future()
        self._pool.submit(_read, request).add_done_callback(lambda done: _pass_on(done, answer))
        return answer

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _pass_on(done: "Future[bytes]", answer: "Future[Batch]") -> None:
    if done.cancelled() or not answer.set_running_or_notify_cancel():
        return
    error = done.exception()
    if error is not None:
        answer.set_exception(error)
    else:
        answer.set_result(pickle.loads(done.result()))  # noqa: S301  # from our own process


def _begin(payload: str, worker: int) -> None:
    global _program  # see above
    torch.set_num_threads(1)
    threading.Thread(target=_end_with, args=(worker,), daemon=True).start()
    _program, _ = unship(Path(payload))  # and the probe, which strikes workers only


def _end_with(worker: int) -> None:
    # The parent is the fork server, which ends when the worker does; a killed worker leaves no other sign.
    parent = os.getppid()
    while os.getppid() == parent and _lives(worker):
        time.sleep(0.5)  # noqa: TID251  # a watch, not a synchronisation
    os._exit(0)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _read(request: Request) -> bytes:
    assert _program is not None, "a loader process begins with its program"
    source: Source = _program.train
    batch: Any = read(source, _program.seed, request)
    buffer = io.BytesIO()
    _Plain(buffer, protocol=5).dump(batch)
    return buffer.getvalue()


class _Plain(pickle.Pickler):
    """Pickles tensors as arrays: torch's own way through a pool is shared memory."""

    def reducer_override(self, obj: Any) -> Any:
        if (
            type(obj) is torch.Tensor
            and obj.device.type == "cpu"
            and obj.dtype in _WITH_NUMPY
            and obj.layout is torch.strided
        ):
            return torch.from_numpy, (obj.detach().numpy(),)
        return NotImplemented


_WITH_NUMPY = {
    torch.float64,
    torch.float32,
    torch.float16,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
    torch.uint8,
    torch.bool,
}
