"""Troubles a step can meet on one worker, told in the user's terms: their own exception, memory, replicas that part."""

import traceback

import torch

from vfnb.ground import TrainingError
from vfnb.runtime.post import Post
from vfnb.runtime.replica import Replica
from vfnb.spec import OutOfMemory


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


def told(error: Exception, replica: Replica, post: Post, *, step: int, node: int, samples: int) -> Exception:
    """Put an exception of a pass in the user's terms.

    Args:
        error: As raised.
        replica: Whose pass it was.
        post: On which worker.
        step: In which step.
        node: In which virtual node; -1 outside passes.
        samples: How many samples the pass had.

    Returns:
        A `MemoryShortError` or a `TrainingError` with the user's traceback as text.
    """
    if _is_memory(error):
        return MemoryShortError(_memory_event(error, replica, post, step=step, node=node, samples=samples))
    where = f"virtual node {node} at step {step}" if node >= 0 else f"step {step}"
    return TrainingError(
        f"{where} raised {type(error).__name__}: {error}",
        step=step,
        node=node if node >= 0 else None,
        worker=post.worker,
        traceback="".join(traceback.format_exception(error)),
    )


def _is_memory(error: Exception) -> bool:
    text = str(error)
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or (
        isinstance(error, RuntimeError) and ("can't allocate memory" in text or "out of memory" in text)
    )


def _memory_event(error: Exception, replica: Replica, post: Post, *, step: int, node: int, samples: int) -> OutOfMemory:
    held = ""
    if replica.device.type == "cuda":
        free, total = torch.cuda.mem_get_info(replica.device)
        own = torch.cuda.memory_reserved(replica.device)
        other = total - free - own
        held = (
            f"; of {total / 2**30:.1f} GiB on {replica.device} this worker holds {own / 2**30:.1f} and others, "
            f"this notebook's own among them, {other / 2**30:.1f}"
        )
    parameters = sum(one.nbytes for one in replica.parameters.values())
    message = (
        f"a pass over {samples} samples did not fit (weights {parameters / 2**20:.0f} MiB, as much again for gradients"
        f"{held}): {str(error).splitlines()[0] if str(error) else type(error).__name__}; the job is paused before step "
        f"{step}: free memory on the device, or stop and use more virtual nodes of fewer samples or "
        "Options(nodes_per_pass=1), then resume"
    )
    return OutOfMemory(
        step=replica.step,
        worker=post.worker,
        device=str(replica.device),
        node=node if node >= 0 else None,
        message=message,
    )
