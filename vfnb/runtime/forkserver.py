"""The fork server's own process, and the first lines of every worker's: run as a module, never imported by others.

`python -m vfnb.runtime.forkserver FD PARENT [MODULE ...]` serves; `... --alone FD PARENT ERRAND` is one worker.
"""

import contextlib
import ctypes
import gc
import importlib
import os
import select
import shutil
import signal
import socket
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any

# torch._dynamo, and sympy with it, is what every optimizer of torch's imports when it is made.
_PRELOAD = ("torch", "torch._dynamo", "numpy", "cloudpickle", "accelerate", "torchmetrics", "vfnb.runtime.worker")
_PR_SET_PDEATHSIG = 1


def serve(fd: int, parent: int, preload: list[str]) -> None:
    """Fork a worker for each line that comes, until the kernel is gone.

    Args:
        fd: The socket to the kernel.
        parent: The kernel's process.
        preload: Further modules to load first; one that cannot be loaded is left to the workers.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wakeup_read, wakeup_write = os.pipe()
    os.set_blocking(wakeup_read, False)
    os.set_blocking(wakeup_write, False)
    signal.signal(signal.SIGCHLD, _noted)
    signal.set_wakeup_fd(wakeup_write)
    for name in (*_PRELOAD, *preload):
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # a worker's collector need not touch, and so copy, what all share
    server = _Server(socket.socket(fileno=fd), parent, (wakeup_read, wakeup_write))
    server.run()


class _Server:
    def __init__(self, kernel: socket.socket, parent: int, wakeup: tuple[int, int]) -> None:
        self._kernel, self._parent, self._wakeup = kernel, parent, wakeup
        self._children: set[int] = set()
        self._folders: set[str] = set()

    def run(self) -> None:
        while os.getppid() == self._parent:
            watched: list[Any] = [self._kernel, self._wakeup[0]]
            ready, _, _ = select.select(watched, [], [], 0.5)
            if self._wakeup[0] in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._wakeup[0], 4096)
            self._reap()
            if self._kernel in ready and not self._serve_one():
                break
        self._end()

    def _serve_one(self) -> bool:
        # A line and its descriptor come in one message: the kernel waits for nothing, but sends one at a time.
        try:
            data, fds, _, _ = socket.recv_fds(self._kernel, 1 << 16, 16)
        except OSError:
            return False  # reset: the kernel is gone
        lines = data.decode().splitlines()
        for line, fd in zip(lines, fds, strict=True):
            self._fork(Path(line), fd)
        return bool(data)

    def _fork(self, errand: Path, fd: int) -> None:
        server = os.getpid()
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._kernel.close()
            for end in self._wakeup:
                os.close(end)
            _die_with_parent(server)
            work(fd, errand)
        os.close(fd)
        self._children.add(pid)
        self._folders.add(str(errand.parent))

    def _reap(self) -> None:
        for pid in list(self._children):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                self._children.discard(pid)
                with contextlib.suppress(OSError):
                    self._kernel.send(f"{pid} {status}\n".encode())

    def _end(self) -> None:
        for pid in self._children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for folder in self._folders:
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)


def work(fd: int, errand: Path) -> None:
    """Be a worker until there is no more to do; never returns.

    Args:
        fd: The channel to the driver.
        errand: The errand's file.
    """
    from vfnb.runtime.nursery import Errand

    told = Errand.read(errand)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.setsid()
    log = os.open(told.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.environ.clear()
    os.environ.update(told.environment)
    os.chdir(told.folder)
    sys.path[:] = told.path
    code = 1
    try:
        importlib.import_module(told.module).main(told, Connection(fd))
        code = 0
    except BaseException:  # noqa: BLE001  # nothing may run the server's own code in a forked child
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _die_with_parent(parent: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def _end_with(parent: int) -> None:
    # The channel's end does not tell for sure: another child of the kernel's may hold it open.
    while os.getppid() == parent:
        time.sleep(0.5)  # noqa: TID251  # a watch, not a synchronisation
    os._exit(0)


def _noted(number: int, frame: FrameType | None) -> None:
    """Let `select` wake up; without a handler the wake-up descriptor stays silent."""


if __name__ == "__main__":
    if sys.argv[1] == "--alone":
        threading.Thread(target=_end_with, args=(int(sys.argv[3]),), daemon=True).start()
        work(int(sys.argv[2]), Path(sys.argv[4]))
    else:
        serve(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
