"""What is drawn, as a value: a pure function of what a job told and of how it is looked at."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from vfnb.notebook.panel import words
from vfnb.notebook.panel.axis import Axis, positions, title
from vfnb.notebook.panel.marks import Mark, marks, resize_said
from vfnb.notebook.panel.smoothing import smooth, window
from vfnb.notebook.panel.thinning import Numbers, thin
from vfnb.notebook.panel.told import Told, step_seconds
from vfnb.spec import (
    CallbackFailed,
    CheckpointFailed,
    CheckpointSaved,
    Event,
    Failed,
    NodesPerPassHalved,
    NotGuaranteed,
    OutOfMemory,
    Rebalanced,
    Resized,
    Warned,
    WorkerLost,
)

_POINTS, _FEW = 1000, 500
_NOTICES = 4
METRICS = 6  # curves; the history has the rest


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """How a job is looked at.

    Attributes:
        axis: What stands to the right.
        log: Whether losses stand on a logarithmic scale.
        all_curves: Whether more than the loss is drawn.
    """

    axis: Axis = "steps"
    log: bool = False
    all_curves: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A line.

    Attributes:
        trace: Which of the figure's.
        name: What it is called.
        x: Where.
        y: How high.
    """

    trace: str
    name: str
    x: Numbers
    y: Numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What is said above the plot.

    Attributes:
        state: Where the job stands, in words.
        target: The virtual cluster.
        here: The workers and their devices.
        progress: Step, epoch, throughput and the time left, in words.
        done: Which part of the steps is done, from 0 to 1.
        resized: The newest resize, in words; empty before the first.
    """

    state: str
    target: str
    here: str
    progress: str
    done: float
    resized: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something to be read.

    Attributes:
        kind: How bad it is.
        text: What it is.
    """

    kind: Literal["note", "warning", "error"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """All that is drawn.

    Attributes:
        head: Above the plot.
        curves: In the plot.
        marks: On its axis.
        across: What the axis is called.
        notices: What went wrong, the newest last.
    """

    head: Head
    curves: tuple[Curve, ...]
    marks: tuple[Mark, ...]
    across: str
    notices: tuple[Notice, ...]


def scene(told: Told, view: View) -> Scene:
    """Say what is drawn.

    Args:
        told: By the job.
        view: How it is looked at.

    Returns:
        The drawing, for whoever has a pen.
    """
    return Scene(
        head=_head(told),
        curves=_curves(told, view),
        marks=marks(told, view.axis),
        across=title(told, view.axis),
        notices=_notices(told),
    )


def _head(told: Told) -> Head:
    resizes = [event for event in told.events if isinstance(event, Resized)]
    return Head(
        state=_state(told),
        target=told.target,
        here=", ".join(f"{one.device}" for one in told.workers),
        progress=" · ".join(_progress(told)),
        done=min(1.0, told.step / told.steps),
        resized=f"{resize_said(resizes[-1])} (step {resizes[-1].step:,})" if resizes else "",
    )


def _state(told: Told) -> str:
    if told.state == "paused" and not told.workers:
        return f"suspended at step {told.step:,}, without devices"
    said = words.state(told.state)
    return f"{said} at step {told.step:,}" if told.state in ("paused", "stopped", "failed") else said


def _progress(told: Told) -> list[str]:
    said = [f"step {told.step:,} of {told.steps:,}"]
    if told.step:
        epoch, epochs = (told.course.at(step)[0] + 1 for step in (told.step, told.steps))
        said.append(f"epoch {epoch:,} of {epochs:,}")
    loss = told.column("loss")[-1:]
    if np.isfinite(loss).any():
        said.append(f"loss {loss[0]:.4g}")
    seconds, speed = step_seconds(told), told.column("samples_per_second")[-20:]
    if seconds is None or told.ended:
        return said
    if told.state != "paused":
        said.append(words.rate(float(np.nanmedian(speed))))
    left = f"about {words.lasting((told.steps - told.step) * seconds)} of training left"
    said.append(f"stands still, {left}" if told.state == "paused" else left)
    return said


def _curves(told: Told, view: View) -> tuple[Curve, ...]:
    x, loss = positions(told, view.axis), told.column("loss")
    span = window(len(loss))
    found = [
        _thinned("loss", "loss", x, loss, _POINTS),
        _thinned("smooth", f"mean of {span:,} steps", x, smooth(loss, span), _FEW),
        _thinned("evaluation", "evaluation loss", x, told.column("evaluation_loss"), _FEW),
    ]
    if view.all_curves:
        found += [
            _thinned(f"metric {place}", name, x, told.column(name), _FEW)
            for place, name in enumerate(told.metrics[:METRICS])
        ]
        found += [
            _thinned("lr", "learning rate", x, told.column("lr"), _FEW),
            _thinned("noise", "gradient noise scale", x, told.column("noise_scale"), _FEW),
            _thinned("batch", "batch size", x, told.column("samples"), _FEW),
            _thinned("speed", "samples/s", x, told.column("samples_per_second"), _FEW),
        ]
    return tuple(found)


def _thinned(trace: str, name: str, x: Numbers, y: Numbers, most: int) -> Curve:
    some = thin(x, y, most) if len(y) else (x[:0], y)
    return Curve(trace=trace, name=name, x=some[0], y=some[1])


def _notices(told: Told) -> tuple[Notice, ...]:
    """Keep the newest of what went wrong, and the one note that is not old news."""
    found = [notice for event in told.events if (notice := _error(event) or _remark(event)) is not None]
    wrong = [notice for notice in found if notice.kind != "note"][-_NOTICES:]
    notes = [notice for notice in found if notice.kind == "note"][-1:]
    return (*wrong, *notes)


def _error(event: Event) -> Notice | None:
    match event:
        case Failed(error=error):
            text = error
        case OutOfMemory(worker=worker, device=device, message=message):
            text = f"out of memory in worker {worker} on {device}: {message}"
        case CheckpointFailed(path=path, error=error):
            text = f"no checkpoint in {path}: {error}"
        case CallbackFailed(error=error):
            text = f"on_event failed: {error}"
        case _:
            return None
    return Notice(kind="error", text=text)


def _remark(event: Event) -> Notice | None:
    match event:
        case WorkerLost(step=step, worker=worker, device=device, reason=reason):
            return Notice(kind="warning", text=f"step {step:,}: worker {worker} on {device} lost, {reason}")
        case NodesPerPassHalved(step=step, nodes_per_pass=nodes):
            text = f"a pass did not fit: {nodes} virtual {'node' if nodes == 1 else 'nodes'} a pass from step {step:,}"
            return Notice(kind="warning", text=text)
        case NotGuaranteed(what=what, reason=reason):
            return Notice(kind="warning", text=f"the same bits are not promised: {what} ({reason})")
        case Warned(message=message):
            return Notice(kind="warning", text=message)
        case _:
            return _note(event)


def _note(event: Event) -> Notice | None:
    match event:
        case CheckpointSaved(step=step, path=path):
            text = f"checkpoint in {path}"
        case Rebalanced(step=step, after=after, saving=saving):
            shares = " : ".join(f"{count:,}" for count in after)
            text = f"virtual nodes moved to {shares} by measured speeds, which saves about {saving:.0%} of a step"
        case _:
            return None
    return Notice(kind="note", text=f"step {step:,}: {text}")
