"""Troubles a step can meet on one worker, told in the user's terms: their own exception, memory, replicas that part."""

import os
import traceback
from dataclasses import replace
from pathlib import Path

import torch

from vfnb.ground import TrainingError, VfnbError
from vfnb.runtime.replica import Replica, optimizer_tensors
from vfnb.spec import Device, OutOfMemory


class MemoryShortError(Exception):
    """A pass did not fit its device.

    Args:
        event: What to tell.
    """

    def __init__(self, event: OutOfMemory) -> None:
        super().__init__(event.message)
        self.event = event


class DriftedError(TrainingError):
    """The workers' states are no longer equal.

    Args:
        step: The last step that was committed.
        workers: Those that differ from most others.
    """

    def __init__(self, step: int, workers: list[int]) -> None:
        names = " and ".join(str(worker) for worker in workers)
        super().__init__(
            f"after step {step} the state of worker {names} differs from the others'; go on from the last checkpoint, "
            "and look for an update that draws random numbers of its own, mixed device kinds or faulty memory",
            step=step,
        )

    def __reduce__(self) -> tuple[object, ...]:
        return TrainingError, (str(self),), {"step": self.step}


def told(error: Exception, replica: Replica, worker: int, *, step: int, node: int, samples: int) -> Exception:
    """Put an exception of a pass in the user's terms.

    Args:
        error: As raised.
        replica: Whose pass it was.
        worker: On which.
        step: In which step.
        node: In which virtual node; -1 outside passes.
        samples: How many samples the pass had.

    Returns:
        A `MemoryShortError` or a `TrainingError` with the user's traceback as text.
    """
    if _is_memory(error):
        return MemoryShortError(_memory_event(error, replica, worker, step=step, node=node, samples=samples))
    where = f"virtual node {node} at step {step}" if node >= 0 else f"step {step}"
    what = str(error) if isinstance(error, VfnbError) else f"{type(error).__name__}: {error}"
    return TrainingError(
        f"{where} raised {what}",
        step=step,
        node=node if node >= 0 else None,
        worker=worker,
        traceback="".join(traceback.format_exception(error)),
    )


def with_kernels_share(event: OutOfMemory) -> OutOfMemory:
    """Add to the news of short memory what this process, the kernel, holds on that device; workers cannot know.

    Args:
        event: As a worker told it.

    Returns:
        The event with a longer message; as it is where nothing can be known.
    """
    device = Device.parse(event.device)
    held = None
    if device.kind == "cpu":
        held = _resident()
    elif device.kind == "cuda":
        held = torch.cuda.memory_reserved(device.index) if torch.cuda.is_initialized() else 0
    if held is None:
        return event
    return replace(event, message=f"{event.message}; this notebook's own process holds {_size(held)} there")


def _is_memory(error: Exception) -> bool:
    text = str(error)
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or (
        isinstance(error, RuntimeError) and ("can't allocate memory" in text or "out of memory" in text)
    )


def _memory_event(
    error: Exception, replica: Replica, worker: int, *, step: int, node: int, samples: int
) -> OutOfMemory:
    weights = sum(one.nbytes for one in replica.parameters.values())
    slots = sum(one.nbytes for one in optimizer_tensors(replica.optimizer))
    said = str(error).splitlines()[0] if str(error) else type(error).__name__
    passes = replica.program.options.nodes_per_pass
    fewer = "" if passes == 1 else f" or fewer than nodes_per_pass={passes}"
    message = (
        f"a pass over {samples} samples on {replica.place} did not fit beside {_size(weights)} of weights, as much of "
        f"gradients and {_size(slots)} of optimizer state{_shared(replica.device)}: {said}; the job holds before step "
        f"{step}: free memory there and resume, or stop and take a cluster of more devices, so of fewer samples a "
        f"pass{fewer}"
    )
    return OutOfMemory(
        step=replica.step,
        worker=worker,
        device=str(replica.place),
        node=node if node >= 0 else None,
        message=message,
    )


def _shared(device: torch.device) -> str:
    if device.type != "cuda":
        return ""
    free, total = torch.cuda.mem_get_info(device)
    own = torch.cuda.memory_reserved(device)
    return f" (of {_size(total)} this worker holds {_size(own)} and other processes {_size(total - free - own)})"


def _resident() -> int | None:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError):
        return None  # not Linux
    return pages * os.sysconf("SC_PAGE_SIZE")


def _size(size: float) -> str:
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"
