"""The driver's picture of its workers, and pure questions about it."""

from collections import Counter
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from vfnb.spec import Device

Phase = Literal["starting", "idle", "busy", "forming", "training", "leaving"]

VOID = -1  # the step of a state that cannot be used


@dataclass(slots=True, kw_only=True)
class Seat:
    """A worker as the driver knows it.

    Attributes:
        id: Never re-used.
        device: What it owns.
        pid: Its process; 0 until it says.
        phase: What it is doing.
        step: The last step that its state holds.
    """

    id: int
    device: Device
    pid: int = 0
    phase: Phase = "starting"
    step: int = 0


@dataclass(slots=True, kw_only=True)
class Wish:
    """A state to be written: a checkpoint, or a snapshot for the kernel.

    Attributes:
        checkpoint: Which of the two.
        answer: Gets the checkpoint's folder, or the state.
        number: The order that asks for it; 0 until one does.
    """

    checkpoint: bool
    answer: "Future[Any]" = field(default_factory=Future)
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """A written state that workers can load.

    Attributes:
        step: The state's.
        path: Its file.
    """

    step: int
    path: Path


def arrange(present: dict[int, Device], wanted: Iterable[Device]) -> tuple[list[int], list[Device]]:
    """Decide who stays when a run goes on with other devices: whoever owns a wanted device.

    Args:
        present: The workers' devices.
        wanted: The devices to go on with; one may stand there more than once.

    Returns:
        The ids that stay, and the devices that need a new worker.
    """
    left = Counter(wanted)
    stay = []
    for worker, device in sorted(present.items()):
        if left[device] > 0:
            left[device] -= 1
            stay.append(worker)
    return stay, sorted(left.elements(), key=str)


def newest(seats: Iterable[Seat], handover: Handover | None) -> int:
    """Find the newest step that some worker, or a written state, holds.

    Args:
        seats: The workers.
        handover: The last written state.

    Returns:
        The step; `VOID` where no state is left.
    """
    steps = [seat.step for seat in seats if seat.phase == "idle"]
    return max([*steps, VOID if handover is None else handover.step], default=VOID)
