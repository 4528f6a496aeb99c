"""What one thread of this machine's CPU reaches at best: a matrix product's rate and a copy's."""

import time
from collections.abc import Callable
from functools import cache

import torch

from vfnb.runtime.settings import threads

_SIDE, _BYTES = 512, 2 << 20  # a copy within the caches, where small passes live; twice that time is memory
_TIMES = 5


@cache
def cpu_roof() -> tuple[float, float]:
    """Measure a product and a copy in fp32, on one thread, once a process; some hundredths of a second.

    Returns:
        Operations a second, a multiply-add being 2, and bytes a second, read and written.
    """
    with threads(1), torch.no_grad():
        side = torch.ones(_SIDE, _SIDE)
        product = _least(lambda: side @ side)
        source, target = torch.ones(_BYTES // 4), torch.empty(_BYTES // 4)
        copied = _least(lambda: target.copy_(source))
    return 2 * _SIDE**3 / product, 2 * _BYTES / copied


def _least(compute: Callable[[], object]) -> float:
    """Give the least of a few times: what else the machine does only adds to it."""
    compute()
    found = []
    for _ in range(_TIMES):
        begun = time.perf_counter()
        compute()
        found.append(time.perf_counter() - begun)
    return max(min(found), 1e-9)
