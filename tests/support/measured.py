"""Profiles made up by hand, put where measured ones are kept."""

from collections.abc import Callable
from pathlib import Path

import vfnb
from vfnb.session.blueprint import Blueprint, Length, draw
from vfnb.session.environment import hardware_of, numeric_environment
from vfnb.session.profiling import _file, _keep, subject_of
from vfnb.spec import Device, DeviceProfile, Point, Profile

SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)


def speed_of(seconds: Callable[[int], float], device: str = "cpu", **given: object) -> DeviceProfile:
    """Make up a device's speed from a function of samples."""
    points = tuple(Point(samples=size, seconds=seconds(size), memory_bytes=size << 20) for size in SIZES)
    made = {"hardware": "slow", "block_seconds": 0.0, "step_seconds": 0.0} | given
    return DeviceProfile(device=device, points=points, **made)  # type: ignore[arg-type]  # the caller's to know


def blueprint_of(task: vfnb.Task, nodes: int = 8, batch: int = 32, **options: object) -> Blueprint:
    """Draw a job's blueprint."""
    cluster = vfnb.VirtualCluster.parse(str(nodes), global_batch=batch)
    length = Length(epochs=None, steps=2)
    return draw(task, cluster, seed=0, length=length, options=vfnb.Options(**options))  # type: ignore[arg-type]


def keep_profile(task: vfnb.Task, seconds: Callable[[int], float], **options: object) -> Path:
    """Put a made-up profile of a task on this machine's CPU into the cache."""
    device = Device("cpu", 0)
    speed = speed_of(seconds, hardware=hardware_of(device))
    found = Profile(subject=subject_of(blueprint_of(task, **options)), versions=numeric_environment(), speeds=(speed,))
    file = _file(found, device)
    _keep(file, found)
    return file
