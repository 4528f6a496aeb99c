"""How long a step takes on a few devices of this machine, one virtual node a pass."""

from math import sqrt

from vfnb.planning.target.roofline import PLAIN, TUNED, Roof, computing_under
from vfnb.planning.target.steptime import Range, batch_of
from vfnb.planning.target.workload import Workload, element_bytes
from vfnb.spec import VirtualCluster

_MEASURED = 1.15  # what a profile's prediction is held to, up and down
# A block's part in the order-free sum goes through gradients and fp64 sums a few times: read, magnitude, round, add.
_SUM_BYTES = 28.0
_PASS_S, _STEP_S = 70e-6, 1e-3  # what a pass and a step cost beside that (docs/benchmarks.md)


def step_under(roof: Roof, workload: Workload, cluster: VirtualCluster, workers: int) -> Range:
    """Predict a step by what a device reaches at best, in fp32; sums between workers are not in it.

    Args:
        roof: Of each device.
        workload: What a pass asks.
        cluster: Its virtual nodes and batch.
        workers: How many devices.

    Returns:
        The range, in seconds.
    """
    passes = -(-cluster.nodes // workers)
    widened = 4 / element_bytes(workload.precision)  # counted in 16 bits, computed in 32
    found = []
    for stack in (TUNED, PLAIN):
        one = computing_under(roof, workload, batch_of(cluster), stack, widened)
        launched = workload.kernels * stack.launch_s + _PASS_S
        summed = _SUM_BYTES * workload.parameters / (roof.bytes_per_s * stack.bandwidth)
        blocks = min(passes, -(-min(cluster.nodes, 32) // workers))
        updated = one.fixed_s - workload.kernels * stack.launch_s
        found.append(passes * (one.batch_s + launched) + blocks * summed + updated + _STEP_S)
    low, high = min(found), max(found)
    return Range(low=low, mid=sqrt(low * high), high=high)


def step_measured(seconds: float) -> Range:
    """Give the range around a prediction from a profile.

    Args:
        seconds: As it was predicted.

    Returns:
        The range.
    """
    return Range(low=seconds / _MEASURED, mid=seconds, high=seconds * _MEASURED)
