"""How long a step takes on a cluster: computing, waiting for the slowest host, and summing gradients.

Always a range. Measured steps narrow it: one sets the speed of computing, two at different batches also what a
step costs whatever its batch (t0 + b / R); the network stays as it is modelled.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from vfnb.planning.target.allreduce import MESSAGE_BYTES, hosts_of, network_of
from vfnb.planning.target.roofline import PLAIN, TUNED, Stack, computing
from vfnb.planning.target.workload import Workload
from vfnb.spec import Accelerator, VirtualCluster

# How much hosts differ within a step, as a standard deviation; a step waits for the slowest. The one constant that is
# fitted: to the scaling of BERT-large on 1 to 32 hosts of A100 and V100 (DeepLearningExamples) and on 16 to 1024 TPU
# v3 (LAMB), where 0.04 to 0.07 fit alike.
_JITTER = 0.06
_BACKWARD = 2 / 3  # of a pass
_GRADIENT_BYTES = 4
# What is left open around a prediction, as a factor up and down: at the very cluster that was measured, from one
# measured batch (waiting on a network is foreseen badly: LAMB's 1024 chips are 18 % slower than from its 16), from
# several, and from another kind of device (Habitat, USENIX ATC 2021: 11.8 % on average, a few beyond 30 %).
_SAME, _ONE, _MORE, _OTHER_KIND = 1.05, 1.22, 1.12, 1.35
_WIDEST_MEASURED = 1.49


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """A number that is not known exactly.

    Attributes:
        low: What it is at least likely to be.
        mid: The best guess.
        high: What it is at most likely to be.
    """

    low: float
    mid: float
    high: float

    def times(self, factor: float) -> "Range":
        """Multiply all three.

        Args:
            factor: 0 or more.

        Returns:
            The product.
        """
        return Range(low=self.low * factor, mid=self.mid * factor, high=self.high * factor)


@dataclass(frozen=True, slots=True)
class _Step:
    """The parts of one stack's step, before anything was measured."""

    batch_s: float
    fixed_s: float
    waiting: float
    sum_s: float

    @property
    def seconds(self) -> float:
        return (self.batch_s + self.fixed_s) * self.waiting + self.sum_s


def step_seconds(workload: Workload, cluster: VirtualCluster, measured: Mapping[VirtualCluster, float]) -> Range:
    """Predict a step's time.

    Args:
        workload: What a pass asks.
        cluster: The target, of a named kind.
        measured: Seconds a step on clusters of named kinds; another kind's is scaled by what both reach.

    Returns:
        The range, in seconds.
    """
    by_stack = [_on(workload, cluster, measured, stack) for stack in (TUNED, PLAIN)]
    low, high = min(by_stack), max(by_stack)
    mid = sqrt(low * high)
    if not measured:
        return Range(low=low, mid=mid, high=high)
    half = _margin(cluster, measured) * sqrt(high / low)
    if all(at.accelerator == cluster.accelerator for at in measured):
        half = min(half, sqrt(_WIDEST_MEASURED))
    return Range(low=mid / half, mid=mid, high=mid * half)


def batch_of(cluster: VirtualCluster) -> int:
    """Give the largest share that a device has in a global batch.

    Args:
        cluster: The cluster.

    Returns:
        Samples.
    """
    return -(-cluster.global_batch // cluster.count)


def slowest_of(hosts: int) -> float:
    """Say how far the slowest of some hosts lies from their mean.

    Args:
        hosts: How many.

    Returns:
        Standard deviations of a normal distribution (Blom's approximation); 0 for one host.
    """
    return NormalDist().inv_cdf((hosts - 0.375) / (hosts + 0.25)) if hosts > 1 else 0.0


def _on(workload: Workload, cluster: VirtualCluster, measured: Mapping[VirtualCluster, float], stack: Stack) -> float:
    step = _modelled(workload, cluster, stack)
    if not measured:
        return step.seconds
    points = [(_modelled(workload, at, stack), seconds) for at, seconds in measured.items()]
    return _fitted(points)(step)


def _modelled(workload: Workload, cluster: VirtualCluster, stack: Stack) -> _Step:
    row = _row(cluster)
    alone = computing(workload, row, batch_of(cluster), stack)
    gradients = workload.parameters * _GRADIENT_BYTES
    summing = network_of(row, cluster.count).seconds(gradients)
    if stack.overlaps:
        last = summing * min(1.0, MESSAGE_BYTES / gradients)  # nothing is left to hide the last message behind
        summing = max(last, summing - _BACKWARD * alone.batch_s)
    waiting = 1 + _JITTER * slowest_of(hosts_of(row, cluster.count))
    return _Step(alone.batch_s, alone.fixed_s, waiting, summing)


def _fitted(points: list[tuple[_Step, float]]) -> Callable[[_Step], float]:
    """Scale computing so that it explains what was measured, waiting and network taken away."""
    xs = [step.batch_s for step, _ in points]
    # A measured step that is shorter than the modelled sum says that the sum was hidden.
    ys = [max(seconds - step.sum_s, seconds / 2) / step.waiting for step, seconds in points]
    if max(xs) - min(xs) < 0.01 * max(xs):
        scale = sum(y / (step.batch_s + step.fixed_s) for y, (step, _) in zip(ys, points, strict=True)) / len(points)
        return lambda step: (step.batch_s + step.fixed_s) * scale * step.waiting + step.sum_s
    slope, fixed = _line(xs, ys)
    return lambda step: (step.batch_s * slope + fixed) * step.waiting + step.sum_s


def _line(xs: list[float], ys: list[float]) -> tuple[float, float]:
    """Fit y = slope * x + fixed with neither below 0, each point by its relative error."""
    weights = [1 / y**2 for y in ys]
    total = sum(weights)
    x_mean = sum(w * x for w, x in zip(weights, xs, strict=True)) / total
    y_mean = sum(w * y for w, y in zip(weights, ys, strict=True)) / total
    over = sum(w * (x - x_mean) * (y - y_mean) for w, x, y in zip(weights, xs, ys, strict=True))
    slope = max(0.0, over / sum(w * (x - x_mean) ** 2 for w, x in zip(weights, xs, strict=True)))
    fixed = y_mean - slope * x_mean
    if fixed >= 0:
        return slope, fixed
    return sum(w * x * y for w, x, y in zip(weights, xs, ys, strict=True)) / sum(
        w * x * x for w, x in zip(weights, xs, strict=True)
    ), 0.0


def _margin(cluster: VirtualCluster, measured: Mapping[VirtualCluster, float]) -> float:
    if cluster in measured:
        return _SAME
    if any(at.accelerator != cluster.accelerator for at in measured):
        return _OTHER_KIND
    return _ONE if len({batch_of(at) for at in measured}) == 1 else _MORE


def _row(cluster: VirtualCluster) -> Accelerator:
    assert cluster.row is not None, "the kind is named"
    return cluster.row
