"""What is measured against each other, in processes of their own, each still while the other moves."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Any, Self

from workloads import WORKLOADS, Workload

import vfnb
from vfnb.spec import Device

_HERE = Path(__file__).parent
_LIMIT = 300.0  # seconds that nothing here takes
_QUICK = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    # What vfnb's workers set for themselves: freed memory stays with the process.
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str((1 << 31) - 1),
}


class Baseline:
    """One of benchmarks/baselines, training on request.

    Args:
        kind: "accumulate" or "bare".
        workload: Its name.
        passes: Passes a step.
        samples: In the data.
    """

    def __init__(self, kind: str, workload: str, *, passes: int, samples: int) -> None:
        command = [sys.executable, "-m", f"baselines.{kind}", workload]
        self._process = subprocess.Popen(
            [*command, "--passes", str(passes), "--samples", str(samples)],
            cwd=_HERE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **_QUICK},
        )

    @property
    def pid(self) -> int:
        """Name its process."""
        return self._process.pid

    def ask(self, count: int) -> None:
        """Let it take some steps; returns at once."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{count}\n")
        self._process.stdin.flush()

    def answer(self) -> list[float]:
        """Give the seconds of each step that was asked for."""
        assert self._process.stdout is not None
        return list(json.loads(self._process.stdout.readline()))

    def steps(self, count: int) -> list[float]:
        """Take some steps and give the seconds of each."""
        self.ask(count)
        return self.answer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


class Training:
    """A job of vfnb in worker processes, paused between requests.

    Args:
        workload: It, or its name.
        nodes: Virtual nodes; a pass each.
        samples: In the data.
        workers: How many.
        devices: In place of so many CPU slots.
        engine: That starts the workers.
        options: Of the job.
    """

    def __init__(  # a benchmark names just what it needs
        self,
        workload: str | Workload,
        *,
        nodes: int,
        samples: int,
        workers: int = 1,
        devices: Sequence[str | Device] | None = None,
        engine: Any = "local",
        **options: Any,
    ) -> None:
        work = WORKLOADS[workload] if isinstance(workload, str) else workload
        self._folder = tempfile.TemporaryDirectory(prefix="vfnb-bench-")
        self.task = vfnb.Task(work.build, work.data(samples), work.loss, work.optimizer)
        self.job = vfnb.Job(
            self.task,
            vfnb.VirtualCluster.parse(str(nodes), global_batch=nodes * work.micro),
            devices=[f"cpu:{index}" for index in range(workers)] if devices is None else devices,
            engine=engine,
            steps=1_000_000,
            run_dir=Path(self._folder.name) / "run",
            options=vfnb.Options(checkpoint_every=None, **options),
        )

    def __enter__(self) -> Self:
        self.job.start()
        until(lambda: self.job.step > 0 and self.job.state == "running")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.job.stop()
        self.job.wait(timeout=_LIMIT)
        self._folder.cleanup()

    def pause(self) -> None:
        """Hold, and wait until it does."""
        self.job.pause()
        until(lambda: self.job.state == "paused")

    def run_on(self, count: int) -> None:
        """Wait for some steps more."""
        before = self.job.step
        until(lambda: self.job.step >= before + count)

    def steps(self, count: int) -> list[float]:
        """Take at least some steps and give the seconds of so many, the first left out; pauses after."""
        before = self.job.step
        if self.job.state == "paused":
            self.job.resume()
        until(lambda: self.job.step > before + count)
        self.pause()
        return self.seconds()[before + 1 : before + 1 + count]

    def seconds(self) -> list[float]:
        """Give the seconds of every step so far."""
        history = self.job.history
        return (history.samples / history.samples_per_second).tolist()

    def median_step(self, count: int = 10) -> float:
        """Give the median seconds of the newest steps."""
        return median(self.seconds()[-count:])


def until(holds: Callable[[], bool]) -> None:
    """Wait for something.

    Args:
        holds: Whether it came; cheap to ask, or it takes a core's time from what is measured.

    Raises:
        TimeoutError: If it does not come in minutes.
    """
    limit = time.monotonic() + _LIMIT
    while not holds():
        if time.monotonic() > limit:
            raise TimeoutError("what the benchmark waits for does not come")
        time.sleep(0.002)


def ratios(
    baseline: Baseline, training: Training, *, pairs: int, steps: int
) -> tuple[float, float, float, list[float], list[float]]:
    """Let two train in turns.

    Args:
        baseline: What vfnb is compared to.
        training: vfnb.
        pairs: How often each has its turn.
        steps: How many steps a turn.

    Returns:
        The median of baseline's seconds over vfnb's, the interval that holds the true median with 98 % (the
        second and the second last of ten), and the median seconds of each turn of either.
    """
    of_baseline, of_training = [], []
    for _ in range(pairs):
        of_baseline.append(median(baseline.steps(steps)))
        of_training.append(median(training.steps(steps)))
    found = sorted(one / other for one, other in zip(of_baseline, of_training, strict=True))
    return median(found), found[1], found[-2], of_baseline, of_training
