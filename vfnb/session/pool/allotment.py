"""Which devices make up the numbers that a policy gives out: whole ones, and nobody moves without need."""

from collections.abc import Iterable, Mapping, Sequence

from vfnb.spec import Device

Devices = tuple[Device, ...]


def allot(
    counts: Mapping[str, int], goals: Mapping[str, Devices], held: Mapping[str, Devices], devices: Sequence[Device]
) -> dict[str, Devices]:
    """Choose devices by name, each for one job at most.

    A job keeps what it was to have before, first of that what it has already; one that grows takes free devices,
    first what it has not given back yet, then what nobody has.

    Args:
        counts: How many each job is to have, no more than there are in sum.
        goals: What each was to have before, disjoint.
        held: What each has, or waits for in a resize.
        devices: All there are.

    Returns:
        What each is to have, for the jobs in `counts`.
    """
    taken = {device for own in held.values() for device in own}
    chosen = {name: _first(goals.get(name, ()), held.get(name, ()))[:count] for name, count in counts.items()}
    free = [device for device in devices if not any(device in own for own in chosen.values())]
    for name, count in counts.items():
        own = held.get(name, ())
        free.sort(key=lambda device: (device not in own, device in taken, devices.index(device)))
        more = count - len(chosen[name])
        chosen[name], free = (*chosen[name], *free[:more]), free[more:]
    return chosen


def next_step(goal: Devices, own: Devices, others: Iterable[Device]) -> Devices:
    """Say what a job can go on with now, on its way to what it is to have.

    Args:
        goal: What it is to have.
        own: What it has.
        others: What others have still.

    Returns:
        All of its goal where nobody has any of that; else what it keeps, so that it gives back what it is to lose.
    """
    theirs = set(others)
    if not any(device in theirs for device in goal):
        return goal
    return tuple(device for device in own if device in goal)


def _first(these: Devices, preferred: Devices) -> Devices:
    return tuple(sorted(these, key=lambda device: device not in preferred))
