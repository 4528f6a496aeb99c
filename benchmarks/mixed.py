"""Devices of several speeds, simulated: what a solved mapping brings, and how soon a job finds one by itself.

The ideal is the best integer mapping's: the slowest worker's virtual nodes times a pass as it was measured on its slot
in the same run. What a step takes beside its passes is missing from it, and counts against what is measured.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from statistics import median

from contenders import Training, until
from figures import Figure, spread
from workloads import WORKLOADS

from vfnb.planning import levelled
from vfnb.runtime import LocalEngine, Sign
from vfnb.spec import Layout
from vfnb.testing import FaultScript, slower

_NODES, _SAMPLES = 28, 672
_WORKLOAD = replace(WORKLOADS["convnet"], micro=24)  # passes so long that what is around them counts little
_SPEEDS = (2, 4, 8)  # times slower
_ROUNDS, _STEPS = 2, 4
_ALIKE, _SLOWED = 3, 3  # three slots of a third of a core each, one of which becomes three times as slow
_FROM, _WITHIN, _AFTER = 8, 10, 6  # the step it does so at, the steps to recover in, the steps looked at then


def figures() -> Iterator[Figure]:
    """Measure both."""
    yield from _solved()
    yield from _recovered()


def _solved() -> Iterator[Figure]:
    of_ideal, of_even = [], []
    slots = [slower(f"cpu:{index}", times) for index, times in enumerate(_SPEEDS)]
    with Training(_WORKLOAD, nodes=_NODES, samples=_SAMPLES, devices=slots) as training:
        even = training.job.mapping.counts
        for _ in range(_ROUNDS):
            slow = median(training.steps(_STEPS))
            training.job.map("solve").result(timeout=60)
            begun = training.job.activity
            fast = median(training.steps(_STEPS))
            of_ideal.append(_ideal(begun, training.job.activity) / fast)
            training.job.map(even).result(timeout=60)
            of_even.append(slow / fast)
    note = f"speeds {', '.join(f'1/{times}' for times in _SPEEDS)}, {_NODES} blocks, {_ROUNDS} rounds"
    for what, values, bound in (("the best mapping's ideal", of_ideal, 0.93), ("the even mapping's", of_even, 1.6)):
        middle, low, high = spread(values)
        yield Figure(
            what=f"simulated speeds, solved mapping: throughput against {what}",
            value=middle,
            low=low,
            high=high,
            unit="x",
            bound=bound,
            sense="at least",
            note=note,
        )


def _recovered() -> Iterator[Figure]:
    slots = [slower(f"cpu:{index}", _ALIKE) for index in range(3)]
    engine = LocalEngine(probe=FaultScript().slow(2, _SLOWED, step=_FROM))
    with Training(
        _WORKLOAD, nodes=_NODES, samples=_SAMPLES, devices=slots, engine=engine, rebalance="auto"
    ) as training:
        until(lambda: training.job.step >= _FROM + _WITHIN)
        begun = training.job.activity
        until(lambda: training.job.step >= _FROM + _WITHIN + _AFTER)
        ideal = _ideal(begun, training.job.activity)
        seconds = dict(zip(training.job.history.step, training.seconds(), strict=False))
    after = [ideal / seconds[step] for step in range(_FROM + _WITHIN, _FROM + _WITHIN + _AFTER)]
    middle, low, high = spread(after)
    yield Figure(
        what=f'rebalance="auto", one of three slots {_SLOWED} times slower: throughput {_WITHIN} steps later '
        "against the new best mapping's ideal",
        value=middle,
        low=low,
        high=high,
        unit="x",
        bound=0.9,
        sense="at least",
        note=f"{_AFTER} steps; just after the slowdown {ideal / seconds[_FROM + 1]:.2f}",
    )


def _ideal(begun: Mapping[int, Sign], ended: Mapping[int, Sign]) -> float:
    """Give the seconds of a step's passes on the best mapping there is."""
    seconds = {
        worker: (sign.spent - begun[worker].spent) / (sign.passes - begun[worker].passes)
        for worker, sign in ended.items()
    }
    counts = levelled(Layout(_NODES, _NODES), seconds).counts
    return max(counts[worker] * each for worker, each in seconds.items())
