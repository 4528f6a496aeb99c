"""The local engine: worker processes on this machine, and the driver's thread between them and the kernel."""

import contextlib
import os
import queue
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from vfnb.ground import WorkerLostError
from vfnb.runtime import messages
from vfnb.runtime.board import Board, Sign
from vfnb.runtime.changes import Answer, Change, settle
from vfnb.runtime.conductor import Conductor
from vfnb.runtime.engine import Launch, Run, Sink, Snapshot
from vfnb.runtime.nursery import (
    Errand,
    Nursery,
    Spawn,
    StartMethod,
    shared_forkserver,
    wait_for_ending,
    worker_environment,
)
from vfnb.runtime.payload import ship
from vfnb.runtime.probe import Probe, silent
from vfnb.runtime.program import Program
from vfnb.runtime.seats import Wish
from vfnb.runtime.settings import flags, give_back_freed_memory
from vfnb.runtime.troubles import with_kernels_share
from vfnb.runtime.watch import Watch, pulse_of
from vfnb.spec import Device, Mapping, OutOfMemory

_TICK = 0.25
_LEAVE_WITHIN = 5.0


class LocalEngine:
    """Trains in worker processes, one a device.

    Args:
        start_method: "forkserver" starts a worker fast; "spawn" works on every POSIX platform. None chooses.
        probe: What workers call at named points of their work.
    """

    def __init__(self, *, start_method: StartMethod | None = None, probe: Probe = silent) -> None:
        self._method: StartMethod = start_method or ("forkserver" if sys.platform == "linux" else "spawn")
        self._probe = probe

    def start(self, program: Program, launch: Launch, sink: Sink) -> Run:
        """Start a program; returns before its workers are there.

        Args:
            program: What to train.
            launch: On what, from where.
            sink: Where news go, from the driver's thread.

        Returns:
            The run.
        """
        nursery: Nursery = Spawn() if self._method == "spawn" else shared_forkserver(launch.devices[0])
        run = LocalRun(program, self._probe, launch, sink, nursery)
        run.begin()
        return run


class LocalRun:
    """A run in worker processes; its thread owns everything but the queue of requests.

    Args:
        program: What to train.
        probe: What workers call at named points.
        launch: On what, from where.
        sink: Where news go.
        nursery: What starts workers.
    """

    def __init__(self, program: Program, probe: Probe, launch: Launch, sink: Sink, nursery: Nursery) -> None:
        self._program, self._launch, self._nursery = program, launch, nursery
        self._private = Path(tempfile.mkdtemp(prefix="vfnb-", dir=_roomy()))
        self._tidy = weakref.finalize(self, _remove, self._private, os.getpid())  # at the latest as Python ends
        self._payload = ship((program, probe), self._private)
        self._board = Board(self._private / "board")
        self._watch = Watch(program.options.stuck_after)
        self._channels: dict[int, Connection] = {}
        self._pids: dict[int, int] = {}
        self._requests: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._waker, self._woken = socket.socketpair()
        self._waker.setblocking(False)
        self._saved_at = time.monotonic()
        # A proxy: a run that holds itself would keep the model until the collector comes by.
        self._conductor = Conductor(launch, self._private, weakref.proxy(self), sink, _can_nccl)
        self._final: Snapshot | None = None
        self._thread = threading.Thread(target=self._drive, name=f"vfnb driver {launch.name}", daemon=True)

    def begin(self) -> None:
        """Start the driver's thread."""
        give_back_freed_memory()  # of copies of the model that were made on the way here
        self._requests.put(self._conductor.begin)
        self._thread.start()
        self._wake()

    # -- what the user asks, from any thread

    def pause(self) -> None:
        """Hold at the next step boundary."""
        self._ask(self._conductor.pause)

    def resume(self) -> None:
        """Go on after a pause."""
        self._ask(self._conductor.resume)

    def stop(self) -> None:
        """End at the next step boundary; called again, drop the step at hand."""
        self._ask(self._conductor.stop)

    def resize(self, devices: tuple[Device, ...]) -> Answer:
        """Go on with these devices.

        Args:
            devices: All of them.

        Returns:
            What became of it.
        """
        return self._change(Change(devices=devices))

    def remap(self, propose: Callable[[Mapping], Mapping]) -> Answer:
        """Go on with another mapping over the same workers.

        Args:
            propose: Makes it of the present one.

        Returns:
            What became of it.
        """
        return self._change(Change(propose=propose))

    def save(self) -> "Future[Path]":
        """Write a checkpoint at the next boundary.

        Returns:
            Its folder.
        """
        return self._wish(checkpoint=True)

    def snapshot(self) -> "Future[Snapshot]":
        """Give the state as last committed.

        Returns:
            The state, at the next boundary; at once after the end.
        """
        return self._wish(checkpoint=False)

    def activity(self) -> dict[int, Sign]:
        """Read what each worker does right now.

        Returns:
            Its last sign, by worker; nothing once the run has ended.
        """
        with contextlib.suppress(ValueError):  # the board is closed with the run
            return {worker: self._board.read(worker) for worker in list(self._pids)}
        return {}

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the end.

        Args:
            timeout: Seconds.

        Returns:
            Whether it came.
        """
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _change(self, change: Change) -> Answer:
        self._ask(lambda: self._conductor.change(change))
        if not self._thread.is_alive():
            settle(change.answer)
        return change.answer

    def _wish(self, *, checkpoint: bool) -> "Future[Any]":
        wish = Wish(checkpoint=checkpoint)
        if self._thread.is_alive():
            self._ask(lambda: self._conductor.wish(wish))
            self._thread.join(0)
        if not self._thread.is_alive():
            self._answer_after_end(wish)
        return wish.answer

    def _answer_after_end(self, wish: Wish) -> None:
        if self._final is None or wish.checkpoint:
            settle(wish.answer, error=WorkerLostError("the run has ended and its last state is not at hand"))
        else:
            settle(wish.answer, self._final)

    def _ask(self, request: Callable[[], None]) -> None:
        self._requests.put(request)
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(OSError):
            self._waker.send(b"x")

    # -- the driver's thread

    def _drive(self) -> None:
        try:
            while not self._conductor.over:
                self._turn()
            self._see_off()
        finally:
            self._clean_up()

    def _turn(self) -> None:
        by_channel = {channel: worker for worker, channel in self._channels.items()}
        for ready in wait([*by_channel, self._woken], timeout=_TICK):
            if isinstance(ready, Connection):
                self._listen(by_channel[ready])
            else:
                self._woken.recv(4096)
        while not self._requests.empty():
            self._requests.get()()
            self._conductor.reconcile()
        self._look_around()
        self._conductor.reconcile()

    def _listen(self, worker: int) -> None:
        try:
            report = self._channels[worker].recv()
        except (EOFError, OSError):
            self._lose(worker)
            return
        if isinstance(report, messages.Hello):
            self._pids[worker] = report.pid
        if isinstance(report, messages.Happened) and isinstance(report.event, OutOfMemory):
            report = messages.Happened(event=with_kernels_share(report.event))
        self._conductor.hear(worker, report)

    def _lose(self, worker: int) -> None:
        self._channels.pop(worker).close()
        pid = self._pids.pop(worker, 0)
        self._watch.forget(worker)
        log = self._launch.run_dir / "logs" / f"w{worker}.log"
        self._conductor.lost(worker, f"{wait_for_ending(self._nursery, pid)}, its output is in {log}")

    def _look_around(self) -> None:
        now = time.monotonic()
        self._watch.look(now)
        for worker, pid in list(self._pids.items()):
            why = self._watch.frozen(worker, self._board.read(worker), pulse_of(pid), now)
            if why is not None:
                self.kill(worker)
        every = self._program.options.checkpoint_every
        if every is not None and now - self._saved_at >= every:
            self._saved_at = now
            self._conductor.wish_checkpoint()

    def _see_off(self) -> None:
        until = time.monotonic() + _LEAVE_WITHIN
        while self._channels and time.monotonic() < until:
            ready = wait(list(self._channels.values()), timeout=_TICK)
            for worker, channel in list(self._channels.items()):
                if channel not in ready:
                    continue
                try:
                    channel.recv()
                except (EOFError, OSError):
                    self._channels.pop(worker).close()
        for worker in list(self._channels):
            self.kill(worker)
        self._final = self._conductor.final
        self._conductor.close()

    def _clean_up(self) -> None:
        while not self._requests.empty():
            with contextlib.suppress(Exception):
                self._requests.get()()
        self._conductor.abandon_wishes(self._answer_after_end)
        for channel in self._channels.values():
            channel.close()
        self._board.close()
        self._waker.close()
        self._woken.close()
        self._tidy()
        if isinstance(self._nursery, Spawn):
            self._nursery.close()

    # -- the conductor's actions

    def start(self, worker: int, device: Device) -> None:
        """Start a worker's process.

        Args:
            worker: Its id.
            device: What it will own.
        """
        logs = self._launch.run_dir / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        errand = Errand(
            worker=worker,
            device=str(device),
            payload=str(self._payload),
            private=str(self._private),
            run_dir=str(self._launch.run_dir.resolve()),
            log=str((logs / f"w{worker}.log").resolve()),
            environment=worker_environment(device),
            folder=str(Path.cwd()),
            path=list(sys.path),
            flags=flags(),
        )
        self._channels[worker] = self._nursery.start(errand)

    def send(self, worker: int, command: messages.Command) -> None:
        """Send a command; a dead worker's loss is noticed by its channel.

        Args:
            worker: Its id.
            command: The command.
        """
        with contextlib.suppress(OSError, KeyError):
            self._channels[worker].send(command)

    def kill(self, worker: int) -> None:
        """End a worker's process at once.

        Args:
            worker: Its id.
        """
        with contextlib.suppress(ProcessLookupError, KeyError):
            os.kill(self._pids[worker], signal.SIGKILL)

    def now(self) -> float:
        """Give monotonic seconds.

        Returns:
            Of the machine.
        """
        return time.monotonic()


def _can_nccl(devices: Iterable[Device]) -> bool:
    # NCCL refuses two workers on one GPU: those sum over gloo and the host's memory.
    found = list(devices)
    return all(device.kind == "cuda" for device in found) and len(set(found)) == len(found) > 1


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked child that ends has nothing to tidy here
        shutil.rmtree(folder, ignore_errors=True)


def _roomy() -> str | None:
    """Give a folder in memory where that has room for states; containers may have 64 MB only."""
    memory = Path("/dev/shm")  # noqa: S108  # a private folder is made in it
    if not memory.is_dir() or not os.access(memory, os.W_OK):
        return None
    return str(memory) if shutil.disk_usage(memory).free > 4 << 30 else None
