"""Profiles of a task on this machine's devices: what is measured, and the files that keep it.

A profile is kept as JSON below `$XDG_CACHE_HOME/vfnb/profiles` (`~/.cache/vfnb/profiles` where that is not set), a
file for each task, kind of device and set of versions. It may be read, copied and shipped.
"""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from vfnb.ground import SpecError
from vfnb.numerics import restored_generators
from vfnb.planning import sizes_to
from vfnb.runtime import MapStyle
from vfnb.runtime import devices as devices_here
from vfnb.session.blueprint import Blueprint, Length, check_whole, draw
from vfnb.session.choice import Request, best_devices
from vfnb.session.environment import hardware_of, numeric_environment
from vfnb.session.gauging import FILLS, FILLS_FIRST, gauged, levelled
from vfnb.session.identity import identity_of
from vfnb.session.sources import digest_of
from vfnb.session.task import Task
from vfnb.spec import Device, DeviceProfile, Options, Profile, VirtualCluster, from_json, to_json

_LARGEST = 1 << 16  # samples of a pass; devices are full long before


def profile(
    task: Task,
    devices: Request = None,
    *,
    batches: Sequence[int] | None = None,
    options: Options | None = None,
    fresh: bool = False,
) -> Profile:
    """Measure how long passes take and how much memory they need, in a process of each device's kind.

    Sizes are 1, 2, 3, 4, 6, 8, 12 and so on until a pass does not fit, larger ones are no faster a sample, or the data
    run out. What was measured before is read from the cache.

    Args:
        task: What is to be learned.
        devices: As for a job; one of each kind is measured.
        batches: Samples of a pass to measure in place of those sizes.
        options: Precision, sum and collate.
        fresh: Whether to measure again what is in the cache.

    Returns:
        The profile; `vfnb.plan` takes it, and it is what the cache holds.

    Raises:
        SpecError: If the task or a size is not possible.
    """
    chosen = Options() if options is None else options
    if not isinstance(chosen, Options):
        raise SpecError(f"options is a {type(chosen).__name__}; give vfnb.Options(...)")
    settled = replace(chosen, nodes_per_pass=1, blocks=None, batch_schedule=None)
    one = VirtualCluster.parse("1", global_batch=1)
    blueprint = draw(task, one, seed=0, length=Length(epochs=None, steps=1), options=settled)
    for size in batches or ():
        check_whole("a batch", size, least=1)
    sizes = sorted(set(batches)) if batches else sizes_to(_LARGEST, 2 if _lonely(blueprint) else 1)
    kinds = best_devices(devices, devices_here(), threads=chosen.threads)
    return measured(blueprint, kinds, sizes, fresh=fresh)


def measured(blueprint: Blueprint, devices: Sequence[Device], sizes: Sequence[int], *, fresh: bool = False) -> Profile:
    """Measure what the cache does not have, and keep it there.

    Args:
        blueprint: What is measured.
        devices: One of each kind is measured.
        sizes: Samples of a pass, ascending.
        fresh: Whether to leave out what the cache has.

    Returns:
        All that is known of these devices, in the cache and new.
    """
    found = Profile(subject=subject_of(blueprint), versions=numeric_environment(), speeds=())
    for device in {DeviceProfile.name_of(device): device for device in devices}.values():
        file = _file(found, device)
        known = None if fresh else _cached(file, found)
        speed = None if known is None else known.speed(device, hardware_of(device))
        missing = _missing(speed, sizes, len(blueprint.train.dataset))
        if missing:
            speed = gauged(blueprint.program(""), device, missing, speed)
            with suppress(OSError):  # a full or read-only disk keeps nothing, and no more is wrong
                _keep(file, replace(found, speeds=(speed,)))
        assert speed is not None, "nothing is missing only where something is known"
        found = found.merged(replace(found, speeds=(speed,)))
    return found


def known_profile(blueprint: Blueprint, devices: Sequence[Device]) -> Profile:
    """Read what the cache has of some devices; nothing is measured.

    Args:
        blueprint: The job.
        devices: Which.

    Returns:
        All that is known of them, which may be nothing.
    """
    found = Profile(subject=subject_of(blueprint), versions=numeric_environment(), speeds=())
    for device in {DeviceProfile.name_of(device): device for device in devices}.values():
        known = _cached(_file(found, device), found)
        found = found if known is None else found.merged(known)
    return found


def node_seconds(profile: Profile, device: Device, blueprint: Blueprint) -> float | None:
    """Tell how long a virtual node takes on a device, its part in the sum with it.

    Args:
        profile: What was measured.
        device: Where.
        blueprint: Whose virtual nodes.

    Returns:
        Seconds; None where the profile does not have the device.
    """
    speed = profile.speed(device, hardware_of(device))
    if speed is None:
        return None
    layout, at_once = blueprint.layout.at(1), blueprint.nodes_per_pass
    samples = -(-blueprint.cluster.global_batch // layout.nodes) * at_once
    return speed.pass_seconds(samples) / at_once + speed.block_seconds * layout.blocks / layout.nodes


def subject_of(blueprint: Blueprint) -> dict[str, str]:
    """Say what a profile is of: all that a pass's time depends on but the device.

    Args:
        blueprint: The job.

    Returns:
        By name, in words and digests.
    """
    fields = identity_of(blueprint, ()).fields
    return {
        "model": fields["model"]["name"],
        "architecture": _short(fields["model"]["architecture"]),
        "code": _short(fields["model"]["source"]),
        "loss": _named(fields["loss"]),
        "optimizer": fields["optimizer"]["name"],
        "sample": form_of(blueprint.train.dataset),
        "collate": _named(fields["collate"]),
        "precision": blueprint.options.precision,
        "reduction": blueprint.options.reduction,
    }


def form_of(dataset: MapStyle) -> str:
    """Say what a data set's first sample looks like.

    Args:
        dataset: The data.

    Returns:
        Types and shapes.
    """
    with restored_generators():
        leaves = tree_leaves(dataset[0])
    return ", ".join(
        f"{str(one.dtype).removeprefix('torch.')}{list(one.shape)}" if hasattr(one, "shape") else type(one).__name__
        for one in leaves
    )


def folder() -> Path:
    """Name the folder that keeps profiles.

    Returns:
        Below the user's cache, as torch's own is.
    """
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "vfnb" / "profiles"


def _missing(speed: DeviceProfile | None, sizes: Sequence[int], samples: int) -> list[int]:
    """Leave out what is known, what does not fit, and what the data cannot fill."""
    if samples < FILLS_FIRST:
        raise SpecError(f"the training data have {samples} samples; {FILLS_FIRST} or more can be measured")
    possible = [size for size in sizes if size * FILLS <= samples] or [samples // FILLS_FIRST]
    if speed is None:
        return possible
    have = {point.samples for point in speed.points}
    return [
        size
        for size in possible
        if size not in have
        and (speed.too_large is None or size < speed.too_large)
        and not (size > speed.largest and levelled((one.samples, one.seconds) for one in speed.points))
    ]


def _lonely(blueprint: Blueprint) -> bool:
    norms = torch.nn.modules.batchnorm._BatchNorm  # noqa: SLF001  # torch has no public name for all of them
    return any(isinstance(one, norms) and one.training for one in blueprint.model.modules())


def _file(found: Profile, device: Device) -> Path:
    key = [found.subject, found.versions, DeviceProfile.name_of(device), hardware_of(device)]
    model = found.subject["model"].rpartition(".")[2]
    name = DeviceProfile.name_of(device).replace("/", "x")
    return folder() / f"{model}-{name}-{digest_of(json.dumps(key, sort_keys=True))[:16]}.json"


def _cached(file: Path, wanted: Profile) -> Profile | None:
    try:
        known = from_json(file.read_text(encoding="utf-8"))
        if not isinstance(known, Profile):
            return None
        known.check_is_of(wanted.subject, wanted.versions)
    except (OSError, SpecError):
        return None  # a file that cannot be read is measured anew
    return known


def _keep(file: Path, found: Profile) -> None:
    """Write a profile so that people can read it, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    temporary.write_text(json.dumps(json.loads(to_json(found)), indent=1) + "\n", encoding="utf-8")
    temporary.replace(file)


def _named(described: dict[str, Any] | None) -> str:
    if described is None:
        return "none"
    return f"{described.get('name')} {_short(digest_of(json.dumps(described, sort_keys=True)))}"


def _short(digest: str) -> str:
    return digest[:12]
