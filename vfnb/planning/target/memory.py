"""Whether a pass fits into a device's memory, with the table behind the verdict."""

from dataclasses import dataclass
from typing import Literal

from vfnb.planning.target.workload import LOW, Workload
from vfnb.spec import Accelerator

Verdict = Literal["fits", "tight", "does not fit"]

GIB = 2**30
TIGHT = 0.85  # from this share of the device's memory on it may or may not fit
_CONTEXT_BYTES = 0.6 * GIB  # a CUDA context with the libraries' workspaces, before any tensor
_FRAGMENTS = 0.03  # of what is allocated and freed in every pass
# XLA recomputes what is cheap and keeps no dropout masks: LAMB's 16 sequences of 512 tokens a TPU v3 core need 13.9
# GiB by the formula of arXiv 2205.05198 beside 5.0 GiB of states, and ran in 16 GiB (arXiv 1904.00962).
_COMPILER = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What a device holds while it trains.

    Attributes:
        verdict: "fits", "tight" (85 to 100 % of the device) or "does not fit".
        bytes: All of it.
        device_bytes: The device's memory.
        table: Bytes by what they are for; they add up to `bytes`.
        largest_batch: The most samples a device that do not exceed its memory; 0 where not even one does.
        remarks: What was assumed, a sentence each.
    """

    verdict: Verdict
    bytes: int
    device_bytes: int
    table: tuple[tuple[str, int], ...]
    largest_batch: int
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A device, as far as memory is concerned.

    Attributes:
        device_bytes: Its memory.
        memories: Memories that share no data; each has weights of its own and its part of the batch.
        compiled: Whether XLA compiles for it.
        context_bytes: What is taken before any tensor.
        summing_bytes: What summing gradients takes, for one parameter.
    """

    device_bytes: int
    memories: int = 1
    compiled: bool = False
    context_bytes: float = _CONTEXT_BYTES
    summing_bytes: float = 0.0


def room_of(row: Accelerator, devices: int) -> Room:
    """Describe a device of the target.

    Args:
        row: Its kind.
        devices: How many there are.

    Returns:
        Its room.
    """
    compiled = row.vendor == "Google"
    return Room(
        device_bytes=round(row.memory_gib * GIB),
        memories=row.memories_per_unit,
        compiled=compiled,
        context_bytes=_CONTEXT_BYTES / 2 if compiled else _CONTEXT_BYTES,
        # torch's DistributedDataParallel holds its buckets beside the gradients; XLA sums in place.
        summing_bytes=0.0 if compiled or devices == 1 else 4.0,
    )


def memory_of(workload: Workload, room: Room, batch: int) -> Memory:
    """Say what a device holds at a batch.

    Args:
        workload: What a pass asks.
        room: The device.
        batch: Its samples.

    Returns:
        The verdict and its table.
    """
    table = _table(workload, room, batch)
    total = sum(size for _, size in table)
    return Memory(
        verdict=_verdict(total / room.device_bytes),
        bytes=total,
        device_bytes=room.device_bytes,
        table=table,
        largest_batch=_largest(workload, room),
        remarks=_remarks(room),
    )


def _table(workload: Workload, room: Room, batch: int) -> tuple[tuple[str, int], ...]:
    parameters, low = workload.parameters, workload.precision in LOW
    copies = room.memories
    each = -(-batch // copies)
    kept = (workload.kept_bytes * each + workload.kept_once_bytes) * (_COMPILER if room.compiled else 1.0)
    working = workload.working_bytes * each
    parts = {
        "weights": 4.0 * parameters,
        "weights, 16-bit copy": 2.0 * parameters if low and not room.compiled else 0.0,
        "gradients": 4.0 * parameters,
        "optimizer": workload.state_bytes * parameters,
        "gradient buffer": room.summing_bytes * parameters,
        "activations": kept,
        "working space": working,
        "reserve": room.context_bytes + _FRAGMENTS * (kept + working),
    }
    return tuple((name, round(size * copies)) for name, size in parts.items())


def _largest(workload: Workload, room: Room) -> int:
    """Search the largest batch that stays within the device."""

    def within(batch: int) -> bool:
        return sum(size for _, size in _table(workload, room, batch)) <= room.device_bytes

    if not within(1) or not workload.kept_bytes + workload.working_bytes:
        return 0
    low, high = 1, 2
    while within(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if within(middle) else (low, middle)
    return low


def _verdict(share: float) -> Verdict:
    if share > 1:
        return "does not fit"
    return "tight" if share >= TIGHT else "fits"


def _remarks(room: Room) -> tuple[str, ...]:
    said = []
    if room.compiled:
        said.append(f"activations are taken times {_COMPILER}, what XLA was seen to keep; TPU verdicts are rougher")
    if room.memories > 1:
        said.append(f"its {room.memories} cores have a memory each, with weights of their own and a part of the batch")
    return tuple(said)
