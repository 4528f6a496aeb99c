"""The solver's own time: 512 devices of 8 kinds and 4096 blocks."""

import time
from collections.abc import Iterator

from figures import Figure, spread

from vfnb.planning import even, fastest
from vfnb.spec import Layout

_KINDS, _DEVICES, _BLOCKS, _TIMES = 8, 64, 4096, 20


def figures() -> Iterator[Figure]:
    """Measure one solution, from nothing and beside a present mapping."""
    layout = Layout(_BLOCKS, _BLOCKS)
    seconds = {worker: 0.01 * (1 + (worker % _KINDS) ** 1.5) for worker in range(_KINDS * _DEVICES)}
    for what, near in (("from nothing", None), ("moving the fewest nodes", even(layout, range(300)))):
        took = []
        for _ in range(_TIMES):
            begun = time.perf_counter()
            fastest(layout, seconds, near)
            took.append(time.perf_counter() - begun)
        value, low, high = spread(took)
        yield Figure(
            what=f"solver, {_KINDS} kinds x {_DEVICES} devices x {_BLOCKS} blocks, {what}",
            value=value,
            low=low,
            high=high,
            unit="s",
            bound=0.1,
            sense="at most",
            note=f"{_TIMES} times",
        )
