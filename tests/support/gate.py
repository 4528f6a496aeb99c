"""A probe that holds a run at one step until a test lets it go, whatever the speed of the machine."""

import time
from dataclasses import dataclass
from pathlib import Path

from vfnb.testing import FaultScript


@dataclass(frozen=True)
class Gate:
    """Holds worker 0 in a step until `open` is called in the test's process; its faults strike all the while."""

    file: Path
    script: FaultScript
    step: int = 3

    def open(self) -> None:
        self.file.touch()

    def __call__(self, point: str, *, worker: int, step: int, detail: int = 0) -> None:
        if (worker, point, step) == (0, "before_vote", self.step):
            while not self.file.exists():
                time.sleep(0.01)
        self.script(point, worker=worker, step=step, detail=detail)
