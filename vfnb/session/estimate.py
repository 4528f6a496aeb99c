"""What a run on its target would take: `vfnb.estimate` for a task, or for a model that is known by name."""

from collections.abc import Mapping
from dataclasses import replace

from vfnb.ground import SpecError
from vfnb.numerics import steps_per_epoch
from vfnb.planning import (
    Estimate,
    Length,
    Memory,
    Rates,
    Room,
    Workload,
    batch_of,
    estimate_known,
    forecast,
    memory_of,
    named,
    precision_for,
)
from vfnb.runtime import devices, memory_bytes
from vfnb.session.blueprint import check_whole
from vfnb.session.choice import best_devices
from vfnb.session.task import Task
from vfnb.session.workload import workload_of
from vfnb.spec import VirtualCluster

_EXACT_SUM_BYTES = 8.0  # a parameter: the order-free sum's accumulator
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
        return estimate_known(
            task,
            cluster,
            steps=steps,
            sequence=sequence,
            precision=precision,
            measured=measured,
            price_usd_per_hour=price_usd_per_hour,
            watts=watts,
        )
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
    return replace(found, here=_here(workload, batch_of(cluster)))


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


def _here(workload: Workload, batch: int) -> tuple[tuple[str, Memory], ...]:
    """Say what this machine's devices of the best kind hold, one virtual node a pass."""
    found = devices()
    best = best_devices(None, found)
    slots = sum(device.kind == "cpu" for device in found)
    rooms = []
    for device in best:
        size = memory_bytes(device)
        if size is None:
            continue
        cpu = device.kind == "cpu"
        room = Room(device_bytes=size // slots if cpu else size, summing_bytes=_EXACT_SUM_BYTES)
        room = replace(room, context_bytes=_CPU_CONTEXT_BYTES) if cpu else room
        rooms.append((str(device), memory_of(workload, room, batch)))
    return tuple(rooms)
