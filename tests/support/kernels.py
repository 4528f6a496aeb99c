"""Kernels to be interrupted, frozen and killed: a notebook's own, and a plain interpreter in its place."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from jupyter_client.manager import KernelManager

import vfnb

PATHS = [str(Path(__file__).parent), str(Path(vfnb.__file__).parents[1])]

BEGIN = """
import sys, time
from pathlib import Path

sys.path[:0] = {paths!r}
from jobs import convnet_task, job_of, slots, tiny_task
from vfnb.runtime import LocalEngine


def begun(method=None, task=convnet_task, workers=2, **options):
    engine = LocalEngine(start_method=method)
    job = job_of(task(), Path({folder!r}), slots(workers), engine=engine, steps=1_000_000, **options)
    job.start()
    while len(job.history) < 3:
        time.sleep(0.02)
    return job
"""


def begin(folder: Path) -> str:
    """Give the cell that defines `begun()`: it starts a job and waits until it trains."""
    return BEGIN.format(paths=PATHS, folder=str(folder))


class Notebook:
    """A real ipykernel, as JupyterLab starts one."""

    def __init__(self, folder: Path) -> None:
        self.manager = KernelManager()
        self.manager.start_kernel(cwd=str(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._connect()
        self.run(begin(folder))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._client.stop_channels()
        if self.manager.has_kernel:
            self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()

    @property
    def pid(self) -> int:
        provisioner: Any = self.manager.provisioner
        return int(provisioner.pid)

    def run(self, cell: str, within: float = 90) -> str:
        """Run a cell to its end and give what it printed."""
        return self.end(self.enter(cell), within)

    def enter(self, cell: str) -> str:
        """Begin a cell."""
        return self._client.execute(cell)

    def printed(self, cell: str, within: float = 90) -> str:
        """Wait for the next text that a cell prints."""
        while True:
            message = self._client.get_iopub_msg(timeout=within)
            if message["parent_header"].get("msg_id") == cell and message["msg_type"] == "stream":
                return str(message["content"]["text"])

    def end(self, cell: str, within: float = 90) -> str:
        """Wait for a cell's end; give what it printed from here on, and then the error that ended it."""
        deadline, text = time.monotonic() + within, ""
        while True:
            message = self._client.get_iopub_msg(timeout=max(0.1, deadline - time.monotonic()))
            if message["parent_header"].get("msg_id") != cell:
                continue
            content = message["content"]
            match message["msg_type"]:
                case "stream":
                    text += content["text"]
                case "error":
                    text += f"{content['ename']}: {content['evalue']}"
                case "status" if content["execution_state"] == "idle":
                    return text

    def restart(self) -> None:
        """Restart as the button does."""
        self._client.stop_channels()
        self.manager.restart_kernel(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._connect()

    def _connect(self) -> None:
        self._client = self.manager.blocking_client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=60)


@contextmanager
def interpreter(folder: Path, script: str) -> Iterator[subprocess.Popen[str]]:
    """Run a script in a plain interpreter with `begun()` at hand; it ends with the block."""
    command = [sys.executable, "-c", begin(folder) + script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        try:
            yield process
        finally:
            process.kill()
