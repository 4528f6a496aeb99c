"""The kernel's end of measuring: a process of the device's kind that answers one request after another."""

import shutil
import sys
import tempfile
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Self

from vfnb.ground import TrainingError, WorkerLostError
from vfnb.runtime.measuring import Reading, Request, TooLarge
from vfnb.runtime.nursery import Errand, Nursery, Spawn, shared_forkserver, worker_environment
from vfnb.runtime.payload import ship
from vfnb.runtime.program import Program
from vfnb.runtime.settings import flags
from vfnb.spec import Device


class Gauge:
    """Measures a program's passes on a device; a context that ends its process.

    Args:
        program: What is measured; it stays as it is.
        device: Where.
    """

    def __init__(self, program: Program, device: Device) -> None:
        self._private = Path(tempfile.mkdtemp(prefix="vfnb-gauge-"))
        self._log = self._private / "log"
        errand = Errand(
            worker=0,
            device=str(device),
            payload=str(ship(replace(program, metrics={}, predict=None, evaluation=None), self._private)),
            private=str(self._private),
            run_dir=str(self._private),
            log=str(self._log),
            environment=worker_environment(device),
            folder=str(Path.cwd()),
            path=list(sys.path),
            flags=flags(),
            module="vfnb.runtime.measuring",
        )
        self._nursery: Nursery = shared_forkserver(device) if sys.platform == "linux" else Spawn()
        self._channel: Connection = self._nursery.start(errand)
        self._answered = False

    def measure(self, samples: int, *, overheads: bool = False) -> Reading | TooLarge:
        """Measure passes of a size.

        Args:
            samples: Of each pass.
            overheads: Whether to find what a block and a step add too.

        Returns:
            What was measured, or that it does not fit.

        Raises:
            TrainingError: If the user's code failed.
            WorkerLostError: If the process ended before it measured anything.
        """
        try:
            self._channel.send(Request(samples=samples, overheads=overheads))
            answer: Reading | TooLarge | TrainingError = self._channel.recv()
        except (EOFError, OSError) as error:
            if self._answered:
                return TooLarge(samples=samples)  # where memory is short, systems end processes
            said = self._log.read_text(errors="replace").strip().splitlines()[-1:] if self._log.exists() else []
            raise WorkerLostError(f"the process that measures ended: {''.join(said) or 'it said nothing'}") from error
        if isinstance(answer, TrainingError):
            raise answer
        self._answered = True
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._channel.close()  # it then leaves by itself, after the step at hand
        if isinstance(self._nursery, Spawn):
            self._nursery.close()
        shutil.rmtree(self._private, ignore_errors=True)
