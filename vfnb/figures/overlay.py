"""Several runs' losses in one picture: a curve a group of runs, with the spread of its runs around their mean."""

from collections.abc import Sequence
from dataclasses import dataclass

from vfnb.figures.canvas import Canvas
from vfnb.figures.legend import MOST, look, named
from vfnb.figures.scale import steps_scale, values_scale, within_reach
from vfnb.figures.thinning import Point, finite, thinned

_POINTS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A curve.

    Args:
        label: What it is of.
        steps: Ascending; or what else stands on the axis across.
        values: One for each; nan where there is none.
        low: The lower edge of the spread; empty where there is no spread.
        high: The upper edge.
    """

    label: str
    steps: Sequence[float]
    values: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


def draw_overlay(traces: Sequence[Trace], up: str = "loss", across: str = "step") -> str:
    """Draw curves over each other.

    Args:
        traces: The curves; the first nine are drawn.
        up: The title of the axis up.
        across: The title of the axis across.

    Returns:
        An `<svg>` element; one without a picture where nothing is finite.
    """
    shown = [trace for trace in traces[:MOST] if finite(trace.steps, trace.values)]
    if not shown:
        return '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>'
    middles = [point for trace in shown for point in finite(trace.steps, trace.values)]
    edges = [value for trace in shown for edge in _edges(trace)[1:] for _, value in edge]
    values = values_scale(within_reach([value for _, value in middles], edges))
    canvas = Canvas(steps_scale([step for step, _ in middles]), values)
    drawn = "".join(_drawn(canvas, trace, place) for place, trace in enumerate(shown))
    names = "".join(named(trace.label, place) for place, trace in enumerate(shown))
    return canvas.framed(drawn + names, f"{up} over {across}s of {', '.join(one.label for one in shown)}", across, up)


def _edges(trace: Trace) -> list[list[Point]]:
    edges = [finite(trace.steps, trace.values)]
    if len(trace.low):
        edges += [finite(trace.steps, trace.low), finite(trace.steps, trace.high)]
    return edges


def _drawn(canvas: Canvas, trace: Trace, place: int) -> str:
    middle, *edges = _edges(trace)
    colour, dash = look(place)
    low_high = [thinned(edge, _POINTS) for edge in edges]
    band = canvas.band(low_high[0], low_high[1], colour) if low_high else ""
    return band + canvas.line(thinned(middle, _POINTS), colour, 2, dash=dash)
