"""Devices of several speeds, simulated: what a solved mapping brings, and how soon a job finds one by itself.

The ideal is that of the stretch model: a pass alone on an undisturbed slot, times the slowdown, times the virtual nodes
of the slowest worker. What a step takes beside its passes is missing from it, and counts against what is measured.
"""

from collections.abc import Iterator
from statistics import median

from contenders import Training, until
from figures import Figure, spread

from vfnb.planning import levelled
from vfnb.runtime import LocalEngine
from vfnb.spec import Layout
from vfnb.testing import FaultScript, slower

_WORKLOAD, _NODES, _SAMPLES = "convnet of 8", 28, 224
_SPEEDS = (2, 4, 8)  # times slower
_ROUNDS, _STEPS = 3, 8
_ALIKE, _SLOWED = 3, 3  # three slots of a third of a core each, one of which becomes three times as slow
_FROM, _WITHIN, _AFTER = 15, 10, 10  # the step it does so at, the steps to recover in, the steps looked at then


def figures() -> Iterator[Figure]:
    """Measure both."""
    yield from _solved()
    yield from _recovered()


def _solved() -> Iterator[Figure]:
    of_ideal, of_even = [], []
    slots = [slower(f"cpu:{index}", times) for index, times in enumerate(_SPEEDS)]
    with (
        Training(_WORKLOAD, nodes=_NODES, samples=_SAMPLES) as alone,
        Training(_WORKLOAD, nodes=_NODES, samples=_SAMPLES, devices=slots) as training,
    ):
        alone.pause()
        even = training.job.mapping.counts
        for _ in range(_ROUNDS):
            slow = median(training.steps(_STEPS))
            training.job.map("solve").result(timeout=60)
            fast = median(training.steps(_STEPS))
            training.job.map(even).result(timeout=60)
            ideal = _ideal(_pass_seconds(alone), _SPEEDS)
            of_ideal.append(ideal / fast)
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
    with Training(_WORKLOAD, nodes=_NODES, samples=_SAMPLES) as alone:
        alone.pause()
        each = _pass_seconds(alone)
        with Training(
            _WORKLOAD, nodes=_NODES, samples=_SAMPLES, devices=slots, engine=engine, rebalance="auto"
        ) as training:
            until(lambda: training.job.step >= _FROM + _WITHIN + _AFTER)
            seconds = dict(zip(training.job.history.step, training.seconds(), strict=False))
    ideal = _ideal(each, (_ALIKE, _ALIKE, _ALIKE * _SLOWED))
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


def _pass_seconds(alone: Training) -> float:
    """Measure a pass on an undisturbed slot, while nothing else trains."""
    before = alone.job.activity[0]
    alone.steps(2)
    after = alone.job.activity[0]
    return (after.spent - before.spent) / (after.passes - before.passes)


def _ideal(each: float, slowdowns: tuple[int, ...]) -> float:
    """Give a step's seconds by the stretch model on the best mapping there is."""
    seconds = {worker: each * times for worker, times in enumerate(slowdowns)}
    counts = levelled(Layout(_NODES, _NODES), seconds).counts
    return max(counts[worker] * each for worker, each in seconds.items())
