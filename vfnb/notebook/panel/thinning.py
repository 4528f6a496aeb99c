"""Few points that look like many: each bucket keeps its lowest and its highest, so that spikes stay."""

from typing import Any

import numpy as np

Numbers = np.ndarray[Any, np.dtype[Any]]


def thin(x: Numbers, y: Numbers, most: int) -> tuple[Numbers, Numbers]:
    """Thin a curve.

    What is not finite is left out. The first and the last point stay, and so do the lowest and the highest.

    Args:
        x: Ascending.
        y: As long.
        most: How many points may be left, 4 or more.

    Returns:
        Some of the points, in their order.
    """
    finite = np.isfinite(x) & np.isfinite(y)
    if not finite.all():
        x, y = x[finite], y[finite]
    if len(y) <= most:
        return x, y
    size = -(-len(y) // (most // 2 - 1))  # two points stay of each bucket, and the two ends
    whole = len(y) // size * size
    buckets, starts = y[:whole].reshape(-1, size), np.arange(0, whole, size)
    kept = [starts + buckets.argmin(1), starts + buckets.argmax(1), [0, len(y) - 1]]
    if whole < len(y):
        kept.append([whole + y[whole:].argmin(), whole + y[whole:].argmax()])
    places = np.unique(np.concatenate(kept))
    return x[places], y[places]
