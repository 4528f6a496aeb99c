"""What happened to a run, as marks on its axis: where, of what kind, and what is said when it is pointed at."""

from dataclasses import dataclass
from typing import Literal

from vfnb.notebook.panel import words
from vfnb.notebook.panel.axis import Axis, position
from vfnb.notebook.panel.told import Told
from vfnb.spec import (
    Event,
    Paused,
    Resized,
    Resumed,
    StepRedone,
    StepSkipped,
    WorkerLost,
)

Kind = Literal["resized", "worker lost", "paused", "step redone", "step skipped"]
KINDS: tuple[Kind, ...] = ("resized", "worker lost", "paused", "step redone", "step skipped")
_MOST = 200  # of a kind; the newest are of interest


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Something that happened.

    Attributes:
        kind: Of what kind.
        x: Where on the axis.
        text: A sentence.
    """

    kind: Kind
    x: float
    text: str


def marks(told: Told, axis: Axis) -> tuple[Mark, ...]:
    """Mark what happened.

    Args:
        told: By the job.
        axis: On which axis.

    Returns:
        The newest of each kind, in the order of events.
    """
    said = [(event, mark) for event in told.events if (mark := _said(event)) is not None]
    kept = [pair for kind in KINDS for pair in [pair for pair in said if pair[1][0] == kind][-_MOST:]]
    return tuple(
        Mark(kind=kind, x=position(told, axis, event), text=f"step {event.step:,}: {text}")
        for event, (kind, text) in kept
    )


def _said(event: Event) -> tuple[Kind, str] | None:
    match event:
        case Resized():
            return "resized", resize_said(event)
        case WorkerLost(worker=worker, device=device, reason=reason):
            return "worker lost", f"worker {worker} on {device} lost, {reason}"
        case Paused() | Resumed():
            return "paused", "paused" if isinstance(event, Paused) else "went on"
        case StepRedone(tensors=tensors):
            return "step redone", f"done again, {words.count(len(tensors), 'tensor')} outgrew the grid"
        case StepSkipped(what=what):
            return "step skipped", f"skipped, {what} not finite"
        case _:
            return None


def resize_said(event: Resized) -> str:
    """Say what a resize did.

    Args:
        event: The resize.

    Returns:
        Workers before and after, and how long nothing was trained.
    """
    before, after, down = len(event.before), len(event.after), words.seconds(event.downtime)
    if before == after:
        return f"{words.count(after, 'worker')} mapped anew, {down} without training"
    return f"{before} to {words.count(after, 'worker')}, {down} without training"
