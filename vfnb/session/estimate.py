"""What a run on its target would take: `vfnb.estimate` for a task, or for a model that is known by name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from vfnb.ground import SpecError
from vfnb.numerics import steps_per_epoch
from vfnb.planning import (
    Estimate,
    Length,
    Memory,
    Range,
    Rates,
    Roof,
    Room,
    estimate_known,
    forecast,
    memory_of,
    named,
    precision_for,
    roof_of,
    step_measured,
    step_under,
)
from vfnb.runtime import cpu_roof, devices, memory_bytes
from vfnb.session.blueprint import check_whole
from vfnb.session.choice import best_devices
from vfnb.session.environment import hardware_of
from vfnb.session.plan import profiled_step
from vfnb.session.task import Task
from vfnb.session.workload import workload_of
from vfnb.spec import Device, Layout, VirtualCluster, find_accelerator

_EXACT_SUM_BYTES = 8.0  # a parameter: the order-free sum's accumulator
_VENDOR = re.compile(r"NVIDIA|Tesla|GeForce|AMD|Instinct|Intel")  # as drivers put it before a name
_CPU_CONTEXT_BYTES = 0.3 * 2**30  # a worker process with torch loaded


def estimate(  # noqa: PLR0913  # what is asked, and what overrides the catalogue
    task: Task | str,
    cluster: VirtualCluster,
    *,
    epochs: int | None = None,
    steps: int | None = None,
    sequence: int | None = None,
    precision: str | None = None,
    measured: Mapping[VirtualCluster, float] | None = None,
    price_usd_per_hour: float | None = None,
    watts: float | None = None,
) -> Estimate:
    """Estimate a run on its target: whether it fits, how long it takes, what it costs.

    Args:
        task: What to learn, of which the model is counted on four and eight samples; or the name of a known model,
            such as "resnet50" or "bert-large" (the encoder without heads).
        cluster: The target, of a named kind.
        epochs: How long the run is, in readings of the task's data; or give `steps`.
        steps: How long the run is. Of a known model, None takes the length that papers train it for.
        sequence: Tokens a sample of a known model; None for 128.
        precision: "fp32", "tf32", "fp16" or "bf16"; None takes what the target is usually trained in.
        measured: Seconds a step by the cluster they were measured on; each narrows the range.
        price_usd_per_hour: Of one device; None takes the catalogue's.
        watts: Of one device; None takes the catalogue's.

    Returns:
        The estimate; a notebook shows it as a card.

    Raises:
        SpecError: If a name is unknown, the cluster's kind is open, or a number is not possible.
    """
    if not isinstance(cluster, VirtualCluster):
        raise SpecError(
            f"cluster is a {type(cluster).__name__}; give vfnb.VirtualCluster.parse('1024xTPUv3', global_batch=32768)"
        )
    if isinstance(task, str):
        if epochs is not None:
            raise SpecError(f"epochs={epochs}: {task} is known by name and brings no data set, so give steps=")
        found = estimate_known(
            task,
            cluster,
            steps=steps,
            sequence=sequence,
            precision=precision,
            measured=measured,
            price_usd_per_hour=price_usd_per_hour,
            watts=watts,
        )
        return _with_here(found, None)
    if not isinstance(task, Task):
        raise SpecError(f"task is a {type(task).__name__}; give a vfnb.Task, or a known model's name")
    if sequence is not None:
        raise SpecError(f"sequence={sequence} is for models known by name; a task's samples have their own length")
    length = _length(task, cluster, epochs, steps)
    rates = Rates(price_usd=price_usd_per_hour, watts=watts)
    return _counted(task, cluster, precision=precision, length=length, measured=measured or {}, rates=rates)


def _counted(
    task: Task,
    cluster: VirtualCluster,
    *,
    precision: str | None,
    length: Length | None,
    measured: Mapping[VirtualCluster, float],
    rates: Rates,
) -> Estimate:
    chosen, remark = precision_for(named(cluster), precision)
    workload = workload_of(task, chosen)
    found = forecast(workload, cluster, length=length, measured=measured, rates=rates, remarks=(remark,))
    return _with_here(found, task)


def _length(task: Task, cluster: VirtualCluster, epochs: int | None, steps: int | None) -> Length | None:
    if epochs is not None and steps is not None:
        raise SpecError(f"epochs={epochs} and steps={steps}: give one of them at most")
    samples = len(task.parts.train.source.dataset)
    each = steps_per_epoch(samples, cluster.global_batch)
    evaluation = task.parts.evaluation
    held = 0 if evaluation is None else len(evaluation.source.dataset)
    if epochs is not None:
        check_whole("epochs", epochs, least=1)
        return Length(steps=epochs * each, evaluated=epochs * held, basis=f"{epochs} epochs of {samples:,} samples")
    if steps is not None:
        check_whole("steps", steps, least=1)
        return Length(steps=steps, evaluated=-(-steps // each) * held)
    return None


def _with_here(found: Estimate, task: Task | None) -> Estimate:
    """Say the same for this machine's devices of the best kind, as many as the job could use."""
    best = best_devices(None, devices())[: Layout.of(found.target.nodes).blocks]
    step, basis = _step_here(found, task, best)
    return replace(found, here=tuple(_rooms(found, best)), here_step_seconds=step, here_basis=basis)


def _rooms(found: Estimate, best: Sequence[Device]) -> Iterator[tuple[str, Memory]]:
    slots = sum(device.kind == "cpu" for device in devices())
    for device in best:
        size = memory_bytes(device)
        if size is None:
            continue
        cpu = device.kind == "cpu"
        room = Room(device_bytes=size // slots if cpu else size, summing_bytes=_EXACT_SUM_BYTES)
        room = replace(room, context_bytes=_CPU_CONTEXT_BYTES) if cpu else room
        yield str(device), memory_of(found.workload, room, found.batch_per_device)


def _step_here(found: Estimate, task: Task | None, best: Sequence[Device]) -> tuple[Range | None, str]:
    """Take what was measured of the task, else what the devices reach at best."""
    on = f"on {', '.join(map(str, best))}"
    seconds = None if task is None else profiled_step(task, found.target, best)
    if seconds is not None:
        return step_measured(seconds), f"{on}, from a profile"
    if (roof := _roof(best[0])) is None:
        return None, f"not known {on}: vfnb.profile(task) measures it"
    return step_under(roof, found.workload, found.target, len(best)), f"{on}, fp32; vfnb.profile(task) narrows it"


def _roof(device: Device) -> Roof | None:
    """Give what a device reaches: measured of a CPU's thread, the catalogue's of a GPU that it has."""
    if device.kind == "cpu":
        flops, moved = cpu_roof()
        return Roof(flops_per_s=flops, bytes_per_s=moved)
    try:
        return roof_of(find_accelerator(_VENDOR.sub("", hardware_of(device)).strip()), "fp32")
    except SpecError:
        return None
