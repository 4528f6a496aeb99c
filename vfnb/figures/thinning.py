"""Few points for many: thinning that keeps spikes, and smoothing that begins without a bias."""

from collections.abc import Sequence
from math import isfinite

Point = tuple[float, float]

_SPANS = 40  # a curve is smoothed over a fortieth of its length


def thinned(points: Sequence[Point], most: int) -> list[Point]:
    """Keep each bucket's lowest and highest point, so that spikes stay.

    Args:
        points: (x, y), ascending in x; y is finite.
        most: How many to keep, about.

    Returns:
        At most `most` + 2 of them, the first and the last included.
    """
    size = -(-2 * len(points) // most)
    if size <= 1:
        return list(points)
    kept: dict[int, None] = {0: None}
    for start in range(0, len(points), size):
        bucket = range(start, min(start + size, len(points)))
        low, high = min(bucket, key=lambda i: points[i][1]), max(bucket, key=lambda i: points[i][1])
        kept |= dict.fromkeys(sorted({low, high}))
    kept[len(points) - 1] = None
    return [points[place] for place in kept]


def smoothed(points: Sequence[Point], span: float | None = None) -> list[Point]:
    """Take the exponential moving mean, bias corrected, so that the first point stands where it was.

    Args:
        points: (x, y); y is finite.
        span: Points that count; None takes a fixed part of the length.

    Returns:
        As many points.
    """
    span = max(1.0, len(points) / _SPANS) if span is None else span
    keep = 1 - 2 / (span + 1)
    mean, weight = 0.0, 0.0
    answer = []
    for x, y in points:
        mean, weight = keep * mean + (1 - keep) * y, keep * weight + (1 - keep)
        answer.append((x, mean / weight))
    return answer


def finite(steps: Sequence[float], values: Sequence[float]) -> list[Point]:
    """Pair steps with values and leave out what cannot be drawn: a skipped step has no loss.

    Args:
        steps: Their numbers.
        values: One for each.

    Returns:
        (step, value), finite.
    """
    return [(step, value) for step, value in zip(steps, values, strict=True) if isfinite(value)]
