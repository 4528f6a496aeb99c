"""Starting worker processes: from a fork server with torch already loaded, or each as a fresh interpreter.

The fork server is exec'd, never forked from the kernel (whose threads and CUDA state must not be copied),
single-threaded, in a session of its own, deaf to SIGINT. It ends, and its workers with it, when the kernel's
end of its socket closes or the kernel is gone. What a worker is told lies in a small file, so that one line and
one descriptor start it.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from vfnb.runtime.placement import single_process
from vfnb.spec import Device

StartMethod = Literal["forkserver", "spawn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """What a new worker process is told before anything else.

    Attributes:
        worker: Its id.
        device: What it will own, as text.
        payload: The program's file.
        private: A folder of the run's that only this user can read.
        run_dir: The run's folder.
        log: Where its standard output and error go.
        environment: The kernel's, less what a launcher left in it.
        folder: The kernel's working folder.
        path: The kernel's `sys.path`.
        flags: Torch's global flags in the kernel.
        module: Whose `main` the process runs.
    """

    worker: int
    device: str
    payload: str
    private: str
    run_dir: str
    log: str
    environment: dict[str, str]
    folder: str
    path: list[str]
    flags: dict[str, bool | str]
    module: str = "vfnb.runtime.worker"

    def write(self) -> Path:
        """Write the errand into the private folder.

        Returns:
            Its file.
        """
        file = Path(self.private) / f"worker-{self.worker}.json"
        file.write_text(json.dumps(asdict(self)))
        return file

    @classmethod
    def read(cls, file: Path) -> "Errand":
        """Read what `write` wrote.

        Args:
            file: Its file.

        Returns:
            The errand.
        """
        return cls(**json.loads(file.read_text()))


@runtime_checkable
class Nursery(Protocol):
    """What starts worker processes and knows how they ended."""

    def start(self, errand: Errand) -> Connection:
        """Start a worker; the answer is the driver's end of its channel."""
        ...

    def ending(self, pid: int) -> str | None:
        """Say how a process ended; None while it lives or nothing is known."""
        ...

    def close(self) -> None:
        """End every worker that is left."""
        ...


def worker_environment(device: Device) -> dict[str, str]:
    """Give the environment a worker of this device starts with: the kernel's, threads and determinism set.

    Args:
        device: The worker's.

    Returns:
        The environment.
    """
    threads = str(device.threads)
    return single_process(os.environ) | {
        "OMP_NUM_THREADS": threads,
        "MKL_NUM_THREADS": threads,
        "PYTHONHASHSEED": "0",
        "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
        "NCCL_SOCKET_IFNAME": os.environ.get("NCCL_SOCKET_IFNAME", "lo"),
        "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
        "TOKENIZERS_PARALLELISM": os.environ.get("TOKENIZERS_PARALLELISM", "false"),
    }


class ForkServer:
    """Workers forked from one process that has loaded torch, ready in a fraction of a second.

    Args:
        environment: The server's own.
        preload: Further modules to load before the first fork.
    """

    def __init__(self, environment: Mapping[str, str], preload: Sequence[str] = ()) -> None:
        ours, theirs = socket.socketpair()
        command = [
            sys.executable,
            "-m",
            "vfnb.runtime.forkserver",
            str(theirs.fileno()),
            str(os.getpid()),
            *preload,
        ]
        self._process = subprocess.Popen(  # noqa: S603  # our own module
            command,
            pass_fds=[theirs.fileno()],
            env=_finding_us(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        theirs.close()
        self._socket = ours
        self._text = b""
        self._endings: dict[int, str] = {}
        self._lock = threading.Lock()  # jobs share the server, each from a thread of its own

    @property
    def alive(self) -> bool:
        """Whether the server can start workers."""
        return self._process.poll() is None

    def start(self, errand: Errand) -> Connection:
        """Start a worker.

        Args:
            errand: What it is told.

        Returns:
            The driver's end of its channel.

        Raises:
            OSError: If the server is gone.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            line = f"{errand.write()}\n".encode()
            with self._lock:
                socket.send_fds(self._socket, [line], [theirs.fileno()])
        return Connection(ours.detach())

    def ending(self, pid: int) -> str | None:
        """Say how a worker ended.

        Args:
            pid: The worker's process.

        Returns:
            In words; None while it lives or nothing is known.
        """
        with self._lock:
            with contextlib.suppress(OSError):
                while chunk := self._socket.recv(4096, socket.MSG_DONTWAIT):
                    self._text += chunk
            *lines, self._text = self._text.split(b"\n")
            for line in lines:
                ended, status = line.split()
                self._endings[int(ended)] = _in_words(os.waitstatus_to_exitcode(int(status)))
            return self._endings.get(pid)

    def close(self) -> None:
        """End the server and every worker it started."""
        self._socket.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Spawn:
    """Workers as fresh interpreters: slower to start, on every POSIX platform."""

    def __init__(self) -> None:
        self._processes: dict[int, subprocess.Popen[bytes]] = {}

    def start(self, errand: Errand) -> Connection:
        """Start a worker.

        Args:
            errand: What it is told.

        Returns:
            The driver's end of its channel.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(  # noqa: S603  # our own module
                [
                    sys.executable,
                    "-m",
                    "vfnb.runtime.forkserver",
                    "--alone",
                    str(theirs.fileno()),
                    str(os.getpid()),
                    str(errand.write()),
                ],
                pass_fds=[theirs.fileno()],
                env=_finding_us(errand.environment),
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._processes[process.pid] = process
        return Connection(ours.detach())

    def ending(self, pid: int) -> str | None:
        """Say how a worker ended.

        Args:
            pid: The worker's process.

        Returns:
            In words; None while it lives or nothing is known.
        """
        process = self._processes.get(pid)
        code = process.poll() if process else None
        return None if code is None else _in_words(code)

    def close(self) -> None:
        """End every worker that is left."""
        for process in self._processes.values():
            if process.poll() is None:
                process.kill()
            process.wait()


_servers: dict[int, ForkServer] = {}  # one a thread count: a process's OpenMP is set when torch is loaded
_servers_lock = threading.Lock()
_HEAVY = ("transformers", "datasets", "torchvision", "vfnb.papers")  # loaded once for all where the notebook has them


def shared_forkserver(device: Device) -> ForkServer:
    """Give this kernel's fork server for a device's thread count, started when first asked for.

    Args:
        device: Whose workers it will start.

    Returns:
        The server; it ends with the kernel.
    """
    with _servers_lock:
        server = _servers.get(device.threads)
        if server is None or not server.alive:
            preload = [name for name in _HEAVY if name in sys.modules]
            server = _servers[device.threads] = ForkServer(worker_environment(device), preload)
        return server


def wait_for_ending(nursery: Nursery, pid: int, seconds: float = 0.1) -> str:
    """Wait a moment for the news of how a process ended, which may come after its channel closed.

    Args:
        nursery: Who started it.
        pid: The process.
        seconds: How long at most.

    Returns:
        In words.
    """
    until = time.monotonic() + seconds
    while (how := nursery.ending(pid)) is None and time.monotonic() < until:
        time.sleep(0.002)  # noqa: TID251  # the kernel's word for it comes within a millisecond or so
    return how or "its process is gone"


def _finding_us(environment: Mapping[str, str]) -> dict[str, str]:
    # The package may be imported from a source tree that a fresh interpreter does not know.
    root = str(Path(__file__).resolve().parents[2])
    return {**environment, "PYTHONPATH": os.pathsep.join([root, environment.get("PYTHONPATH", "")])}


def _in_words(code: int) -> str:
    return f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
