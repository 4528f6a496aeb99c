"""A pool in one line, and as a table with its allocation, for whoever prints it."""

from collections import Counter
from collections.abc import Sequence

from vfnb.figures import draw_stack, grid, image
from vfnb.session.pool.allotment import Devices
from vfnb.session.pool.entry import PoolJob

_HEADS = ("job", "state", "priority", "devices", "demand", "waited", "error")


def line(policy: str, devices: Devices, jobs: Sequence[PoolJob]) -> str:
    """Say how a pool stands.

    Args:
        policy: Who decides.
        devices: All there are.
        jobs: How each stands.

    Returns:
        One line.
    """
    states = Counter(job.state for job in jobs)
    busy = sum(len(job.devices) for job in jobs)
    said = ", ".join(f"{count} {state}" for state, count in states.items()) or "no jobs yet"
    return f"<Pool {policy!r}: {busy} of {len(devices)} {devices[0].kind} devices in use, {said}>"


def table(
    policy: str, devices: Devices, jobs: Sequence[PoolJob], changes: Sequence[tuple[float, str, int]], now: float
) -> str:
    """Draw a pool as it stands.

    Args:
        policy: Who decides.
        devices: All there are.
        jobs: How each stands.
        changes: Who had how many devices from when on.
        now: The pool's seconds.

    Returns:
        HTML that needs no script.
    """
    ended = all(job.ended for job in jobs)
    until = max((when for when, _, _ in changes), default=0.0) if ended else now
    rows = [_row(job) for job in jobs]
    picture = image(draw_stack(changes, len(devices), until))
    return f"<div><b>Pool</b>, policy {policy}{grid(_HEADS, rows)}{picture}</div>"


def _row(job: PoolJob) -> tuple[str, ...]:
    devices, waited = ", ".join(job.devices), f"{job.waited:.1f} s"
    return job.name, job.state, f"{job.priority:g}", devices, f"{job.demand}", waited, job.error
