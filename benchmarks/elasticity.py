"""What a resize, a killed and a stopped worker cost, beyond a median step."""

import os
import signal
import time
from collections.abc import Iterator
from statistics import median

from contenders import Training, until
from figures import Figure, spread

_SIZES = (2, 1, 3, 2, 3, 1, 2, 1, 2)  # growth by one and two, shrinking by one and two
_NODES = 4
_SAMPLES = 64
_SETTLED = 8  # steps after a switch, from which the new median step is taken
_LOSSES = 3


def figures() -> Iterator[Figure]:
    """Measure each of them on a model of 100 MB."""
    yield from _resized("large", "SGD", bounds=(0.15, 0.5))
    yield from _resized("large with AdamW", "AdamW", bounds=None)
    yield from _recovered("killed", signal.SIGKILL, 1.5)
    yield from _recovered("stopped", signal.SIGSTOP, 6.0)


def _resized(workload: str, optimizer: str, *, bounds: tuple[float, float] | None) -> Iterator[Figure]:
    with Training(workload, nodes=_NODES, samples=_SAMPLES, workers=1, reduction="native") as training:
        job, beyond, steps = training.job, [], []
        for size in _SIZES:
            training.run_on(_SETTLED)
            before, kept = training.median_step(_SETTLED), {one.pid for one in job.workers}
            resized = job.resize(size).result(timeout=60)
            assert resized is not None, "the job went on"
            after = {one.pid for one in job.workers}
            assert kept <= after or after <= kept, "the same processes stay"
            training.run_on(_SETTLED)
            steps.append(before)
            beyond.append(resized.downtime - max(before, training.median_step(_SETTLED)))
    note = f"100 MB, {optimizer}, to {', '.join(map(str, _SIZES))} workers; a step took {median(steps):.3f} s"
    middle, low, high = spread(beyond)
    yield Figure(
        what=f"downtime of a resize, {optimizer}, beyond a step: median",
        value=middle,
        low=low,
        high=high,
        unit="s",
        bound=None if bounds is None else bounds[0],
        sense="at most",
        note=note,
    )
    yield Figure(
        what=f"downtime of a resize, {optimizer}, beyond a step: worst",
        value=high,
        low=low,
        high=high,
        unit="s",
        bound=None if bounds is None else bounds[1],
        sense="at most",
        note=note,
    )


def _recovered(how: str, strike: signal.Signals, bound: float) -> Iterator[Figure]:
    waits = []
    for _ in range(_LOSSES):
        with Training("large", nodes=_NODES, samples=_SAMPLES, workers=2, reduction="native") as training:
            training.run_on(_SETTLED)
            usual, victim = training.median_step(_SETTLED), training.job.workers[-1].pid
            os.kill(victim, strike)
            begun = time.time()
            until(lambda: bool((training.job.history.workers.tail(1) == 1).all()))
            history = training.job.history
            waits.append(float(history["at"][history["workers"] == 1].iloc[0]) - begun - usual)
    middle, low, high = spread(waits)
    yield Figure(
        what=f"a {how} worker to the next committed step, beyond a step",
        value=middle,
        low=low,
        high=high,
        unit="s",
        bound=bound,
        sense="at most",
        note="2 workers, 100 MB, SGD",
    )
