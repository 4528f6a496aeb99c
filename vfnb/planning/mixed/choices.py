"""What one kind of device could do in a step where kinds may have virtual nodes of different sizes."""

from collections.abc import Iterable, Iterator

from vfnb.planning.mixed.exact_sum import Choice
from vfnb.spec import Speed


def powers_of_two(speed: Speed, devices: int, most: int) -> list[Choice]:
    """List what the paper's rule allows: all devices, powers of two of nodes, measured batches of 2^k or 3 * 2^k.

    Args:
        speed: The kind's measurement.
        devices: How many there are.
        most: The most samples in all.

    Returns:
        The choices.
    """
    return [
        Choice(devices * nodes * batch, nodes * seconds, devices, nodes, batch)
        for batch, seconds in speed.points
        if _is_power_of_two(batch) or (batch % 3 == 0 and _is_power_of_two(batch // 3))
        for nodes in _doubled(most // (devices * batch))
    ]


def measured(speed: Speed, devices: int, most: int) -> list[Choice]:
    """List any number of devices with any number of nodes of a measured size.

    Args:
        speed: The kind's measurement.
        devices: How many there are.
        most: The most samples in all.

    Returns:
        The choices.
    """
    return _whole((batch for batch, _ in speed.points), speed, devices, most, float("inf"))


def between(speed: Speed, devices: int, most: int, limit: float) -> list[Choice]:
    """List any number of devices with any number of nodes of any size in what was measured.

    Args:
        speed: The kind's measurement.
        devices: How many there are.
        most: The most samples in all.
        limit: The most seconds.

    Returns:
        The choices.
    """
    return _whole(range(speed.smallest, speed.largest + 1), speed, devices, most, limit)


def alone_with(speed: Speed, batch: int) -> Choice | None:
    """Give the quickest way in which one device computes a whole batch in nodes of one size.

    Args:
        speed: The kind's measurement.
        batch: The global batch.

    Returns:
        The choice, or None where no size that fits divides the batch.
    """
    sizes = [size for size in range(speed.smallest, speed.largest + 1) if batch % size == 0]
    ways = [Choice(batch, batch // size * speed.seconds(size), 1, batch // size, size) for size in sizes]
    return min(ways, key=lambda way: way.seconds, default=None)


def _whole(batches: Iterable[int], speed: Speed, devices: int, most: int, limit: float) -> list[Choice]:
    """List choices, for each number of a device's samples the quickest way to cut them."""
    quickest: dict[int, tuple[float, int, int]] = {}
    for batch in batches:
        each = speed.seconds(batch)
        for nodes in range(1, most // batch + 1):
            way = (nodes * each, nodes, batch)
            if way[0] > limit:
                break
            samples = nodes * batch
            quickest[samples] = min(quickest.get(samples, way), way)
    return [
        Choice(count * samples, seconds, count, nodes, batch)
        for samples, (seconds, nodes, batch) in quickest.items()
        for count in range(1, min(devices, most // samples) + 1)
    ]


def _is_power_of_two(number: int) -> bool:
    return number & (number - 1) == 0


def _doubled(most: int) -> Iterator[int]:
    number = 1
    while number <= most:
        yield number
        number *= 2
