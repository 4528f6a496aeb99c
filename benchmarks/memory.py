"""How many bytes a parameter vfnb needs beyond the plain loop, read from what each process really holds."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from contenders import Baseline, Training
from figures import Figure
from workloads import WORKLOADS

_STEPS = 8
_SAMPLES = 128
_NODES = 4
_EVERY = 0.002  # seconds


def figures() -> Iterator[Figure]:
    """Compare the peak of both forms of the sum with the plain loop's, on a model of 100 MB.

    What a tiny model takes in the same kind of process is left out: imports are no cost of a parameter.
    """
    sizes = [one.numel() for one in WORKLOADS["large"].build().parameters()]
    plain = _plain("large") - _plain("perceptron")
    for reduction, bound in (("native", 0.0), ("exact", 8.0)):
        extra = (_ours("large", reduction) - _ours("perceptron", reduction) - plain) / sum(sizes)
        # The exact sum may hold one gradient more, and either two hundredths of a parameter of odds and ends.
        allowed = bound + 0.08 + (4 * max(sizes) / sum(sizes) if reduction == "exact" else 0)
        yield Figure(
            what=f"extra memory, {reduction}",
            value=extra,
            low=extra,
            high=extra,
            unit="bytes a parameter",
            bound=allowed,
            sense="at most",
            note=f"{sum(sizes):,} parameters; the plain loop needs {plain / sum(sizes):.1f} bytes for each",
        )


def _plain(workload: str) -> int:
    with Baseline("bare", workload, passes=_NODES, samples=_SAMPLES) as baseline:
        baseline.steps(1)
        with Peak(baseline.pid) as peak:
            baseline.steps(_STEPS)
    return peak.bytes


def _ours(workload: str, reduction: str) -> int:
    training = Training(workload, nodes=_NODES, samples=_SAMPLES, reduction=reduction)
    with training, Peak(training.job.workers[0].pid) as peak:
        training.run_on(_STEPS)
    return peak.bytes


class Peak:
    """The most private memory that a process holds between entry and exit, sampled.

    Args:
        pid: Its id.
    """

    def __init__(self, pid: int) -> None:
        self.bytes = 0
        self._status = Path(f"/proc/{pid}/status")
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(_EVERY):
            lines = self._status.read_text(encoding="utf-8").splitlines()
            kib = sum(int(line.split()[1]) for line in lines if line.startswith(("RssAnon:", "RssShmem:")))
            self.bytes = max(self.bytes, kib * 1024)
