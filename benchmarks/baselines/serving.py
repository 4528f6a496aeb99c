"""A baseline in a process of its own: each line on standard input asks for that many steps.

The seconds of each step come back on one line, as JSON. One step more is taken first and left out: caches are
cold after a wait.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator

from workloads import WORKLOADS, Workload


def serve(steps: Callable[[Workload, int, int], Iterator[float]]) -> None:
    """Answer requests until standard input closes.

    Args:
        steps: Trains for ever on a workload, with so many passes a step and so many samples in the data, and
            yields the seconds of each step.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=WORKLOADS)
    parser.add_argument("--passes", type=int, required=True)
    parser.add_argument("--samples", type=int, required=True)
    given = parser.parse_args()
    forever = steps(WORKLOADS[given.workload], given.passes, given.samples)
    for line in sys.stdin:
        next(forever)
        print(json.dumps([next(forever) for _ in range(int(line))]), flush=True)
