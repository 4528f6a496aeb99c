"""The four ways to measure how far a run is: steps, samples, epochs, wall time."""

from typing import Literal, get_args

import numpy as np

from vfnb.notebook.panel.thinning import Numbers
from vfnb.notebook.panel.told import Told
from vfnb.spec import Event

Axis = Literal["steps", "samples", "epochs", "time"]
AXES: tuple[Axis, ...] = get_args(Axis)
_UNITS = ((7200.0, 3600.0, "hours"), (300.0, 60.0, "minutes"), (0.0, 1.0, "seconds"))


def positions(told: Told, axis: Axis) -> Numbers:
    """Say where each committed step stands.

    Args:
        told: By the job.
        axis: Measured how.

    Returns:
        A number a step.
    """
    match axis:
        case "steps":
            return told.column("step")
        case "samples":
            return np.cumsum(told.column("samples"))
        case "epochs":
            return told.course.epochs_after(told.column("step"))
        case "time":
            at = told.column("at")
            return (at - _start(told)) / _unit(told)[0]


def position(told: Told, axis: Axis, event: Event) -> float:
    """Say where an event stands: behind the step that was committed last.

    Args:
        told: By the job.
        axis: Measured how.
        event: Which.

    Returns:
        A number on the axis.
    """
    if axis == "time" and event.at:
        return (event.at - _start(told)) / _unit(told)[0]
    steps = told.column("step")
    if not len(steps):
        return 0.0
    place = int(np.searchsorted(steps, event.step, side="right")) - 1
    return float(positions(told, axis)[max(place, 0)])


def title(told: Told, axis: Axis) -> str:
    """Name an axis.

    Args:
        told: By the job.
        axis: Measured how.

    Returns:
        Its name, with the unit where it has one.
    """
    return f"wall time in {_unit(told)[1]}" if axis == "time" else axis.removesuffix("s") if axis == "steps" else axis


def _start(told: Told) -> float:
    at = told.column("at")
    joined = [event.at for event in told.events if event.at]
    return min([*joined[:1], *at[:1]], default=told.now)


def _unit(told: Told) -> tuple[float, str]:
    at = told.column("at")
    span = float(at[-1] - at[0]) if len(at) else 0.0
    return next((divisor, name) for least, divisor, name in _UNITS if span >= least)
