"""How a task's virtual nodes are best computed here: the profile behind the choice, and the choice made for a job."""

import sys
from collections.abc import Sequence
from dataclasses import replace

from vfnb.ground import SpecError
from vfnb.planning import Plan, Share, best, candidates, choice_of, share_of, sizes_to
from vfnb.runtime import coupling, memory_bytes
from vfnb.runtime import devices as devices_here
from vfnb.session.blueprint import Blueprint, Length, draw
from vfnb.session.choice import Request, best_devices
from vfnb.session.environment import hardware_of, numeric_environment
from vfnb.session.profiling import known_profile, measured, node_seconds, subject_of
from vfnb.session.task import Task
from vfnb.spec import Device, DeviceProfile, Event, NodesPerPassChosen, Options, Profile, VirtualCluster


def plan(
    task: Task,
    cluster: VirtualCluster,
    devices: Request = None,
    *,
    profile: Profile | None = None,
    options: Options | None = None,
) -> Plan:
    """Predict a step's time and memory here for each number of virtual nodes a pass, and choose one.

    Args:
        task: What is to be learned.
        cluster: The target.
        devices: As for a job.
        profile: What was measured; None measures what the cache does not have.
        options: Precision, sum, blocks and collate.

    Returns:
        The table and what won; a notebook shows it.

    Raises:
        SpecError: If something is not possible, or the profile is of another task, version or device.
    """
    chosen = Options() if options is None else options
    if not isinstance(profile, Profile | None):
        raise SpecError(f"profile is a {type(profile).__name__}; give what vfnb.profile(task) returns, or None")
    blueprint = draw(task, cluster, seed=0, length=Length(epochs=None, steps=1), options=chosen).computing(1)
    found = best_devices(devices, devices_here(), threads=chosen.threads)
    found = found[: blueprint.layout.most_workers] if devices is None else found
    made = planned(blueprint, found, profile)
    return replace(made, share=_share(blueprint.computing(made.nodes_per_pass), found, profile))


def profiled_step(task: Task, cluster: VirtualCluster, devices: Sequence[Device]) -> float | None:
    """Predict a step from what was measured before, one virtual node a pass; nothing is measured.

    Args:
        task: What is learned.
        cluster: Its virtual nodes and batch.
        devices: Where, all of one kind.

    Returns:
        Seconds; None where no such pass was measured, nor ones around it.
    """
    try:
        blueprint = draw(task, cluster, seed=0, length=Length(epochs=None, steps=1), options=Options())
    except SpecError:
        return None  # the target's batch is more than can be drawn here
    each = -(-cluster.global_batch // cluster.nodes)
    speeds = known_profile(blueprint, devices).speeds
    if not speeds or not all(speed.points[0].samples <= each <= speed.largest for speed in speeds):
        return None
    return choice_of(1, cluster, speeds, workers=len(devices)).step_seconds


def settled(blueprint: Blueprint, devices: Sequence[Device]) -> tuple[Blueprint, tuple[Event, ...]]:
    """Make a number of `nodes_per_pass="auto"`, and print it as what to write for the same bits.

    Args:
        blueprint: The job.
        devices: That it begins on.

    Returns:
        The job with that number, and what to tell; as it was where the user gave a number.
    """
    if blueprint.options.nodes_per_pass != "auto":
        return blueprint, ()
    found = planned(blueprint, devices)
    sys.stdout.write(f"{found.why}: {found.literal}\n")
    chosen = NodesPerPassChosen(step=0, nodes_per_pass=found.nodes_per_pass, reason=found.why)
    return blueprint.computing(found.nodes_per_pass), (chosen,)


def planned(blueprint: Blueprint, devices: Sequence[Device], profile: Profile | None = None) -> Plan:
    """Compare the numbers of nodes a pass that a job can have.

    Args:
        blueprint: The job, one node a pass.
        devices: Where.
        profile: What was measured; None measures where there is something to choose.

    Returns:
        The plan.
    """
    cluster, blocks = blueprint.cluster, blueprint.options.blocks
    names = tuple(str(device) for device in devices)
    if (why := coupling(blueprint.program(""))) is not None:
        return Plan(cluster=cluster, devices=names, choices=(), nodes_per_pass=1, why=f"one node a pass, since {why}")
    numbers = candidates(cluster.nodes, blocks, len(devices))
    each = -(-cluster.global_batch // cluster.nodes)
    if profile is None:
        profile = measured(blueprint, devices, sizes_to(numbers[-1] * each, each))
    speeds = _speeds(profile, blueprint, devices)
    largest = min(speed.largest for speed in speeds)
    choices = tuple(
        choice_of(number, cluster, speeds, workers=len(devices), blocks=blocks, memory_bytes=_memory(devices))
        for number in numbers
        if number == 1 or number * each <= largest
    )
    nodes, why = best(choices)
    return Plan(cluster=cluster, devices=names, choices=choices, nodes_per_pass=nodes, why=why)


def _share(blueprint: Blueprint, devices: Sequence[Device], profile: Profile | None) -> Share | None:
    """Share the virtual nodes by speed; nothing is measured where all devices are of one."""
    if len({DeviceProfile.name_of(device) for device in devices}) == 1:
        return None
    if profile is None:
        samples = -(-blueprint.cluster.global_batch // blueprint.cluster.nodes) * blueprint.nodes_per_pass
        profile = measured(blueprint, devices, sizes_to(samples, samples))
    _speeds(profile, blueprint, devices)
    seconds = [each for device in devices if (each := node_seconds(profile, device, blueprint)) is not None]
    return share_of(blueprint.layout.at(1), seconds)


def _speeds(profile: Profile, blueprint: Blueprint, devices: Sequence[Device]) -> list[DeviceProfile]:
    profile.check_is_of(subject_of(blueprint), numeric_environment())
    found = []
    for device in {DeviceProfile.name_of(device): device for device in devices}.values():
        speed = profile.speed(device, hardware_of(device))
        if speed is None:
            known = ", ".join(f"{one.device} ({one.hardware})" for one in profile.speeds) or "nothing"
            raise SpecError(
                f"the profile has no {DeviceProfile.name_of(device)} ({hardware_of(device)}), it has {known}; "
                "vfnb.profile(task, devices) measures it"
            )
        found.append(speed)
    return found


def _memory(devices: Sequence[Device]) -> int | None:
    """Give the least memory that one of the devices has; CPU slots share the host's."""
    slots = sum(device.kind == "cpu" for device in devices)
    sizes = [(memory_bytes(device), device.kind) for device in devices]
    known = [size // slots if kind == "cpu" else size for size, kind in sizes if size is not None]
    return min(known, default=None)
