"""What came out at each batch size: a value and its interval each, with doublings equally far apart."""

from collections.abc import Sequence
from math import exp, isfinite, log

from vfnb.figures.canvas import GREY, Canvas
from vfnb.figures.legend import MOST, look, named
from vfnb.figures.overlay import Trace
from vfnb.figures.scale import Scale, factors_scale, values_scale, within_reach
from vfnb.figures.thinning import Point, finite

_EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>'


def draw_by_batch(
    traces: Sequence[Trace], up: str, *, noise: float | None = None, halving: bool = False, factors: bool = False
) -> str:
    """Draw values over batch sizes.

    Args:
        traces: The curves, with batches in place of steps; the first nine are drawn.
        up: The title of the axis up.
        noise: A gradient noise scale to mark, in samples.
        halving: Whether to draw, from the lowest value at the smallest batch, what halves with each doubling.
        factors: Whether equal factors are equally far apart on the axis up; values are above 0 then.

    Returns:
        An `<svg>` element; one without a picture where nothing is finite.
    """
    shown = [trace for trace in traces[:MOST] if finite(trace.steps, trace.values)]
    if not shown:
        return _EMPTY
    batches = sorted({batch for trace in shown for batch in trace.steps})
    ideal = _halving(shown, batches) if halving else []
    canvas = Canvas(
        factors_scale([*batches, *([noise] if noise else [])], marks=batches),
        _upward(shown, [value for _, value in ideal], factors=factors),
    )
    guides = canvas.line(ideal, GREY, 1.2, dash="2 4") if len(ideal) > 1 else ""
    guides += canvas.upright(noise, f"noise scale {noise:,.0f}") if noise else ""
    drawn = "".join(_drawn(canvas, trace, place) for place, trace in enumerate(shown))
    names = "".join(named(trace.label, place) for place, trace in enumerate(shown))
    title = f"{up} over batch sizes {batches[0]:,} to {batches[-1]:,} of {', '.join(one.label for one in shown)}"
    return canvas.framed(guides + drawn + names, title, "batch size, log scale", up)


def _halving(traces: Sequence[Trace], batches: Sequence[float]) -> list[Point]:
    """Go on from the lowest value at the smallest batch as if each doubling of the batch halved it."""
    start, value = min(point for trace in traces for point in finite(trace.steps, trace.values))
    return [(batch, value * start / batch) for batch in batches if batch >= start]


def _upward(traces: Sequence[Trace], others: Sequence[float], *, factors: bool) -> Scale:
    values = [value for trace in traces for _, value in finite(trace.steps, trace.values)] + list(others)
    edges = [edge for trace in traces for side in (trace.low, trace.high) for edge in side if isfinite(edge)]
    if not factors:
        return values_scale(within_reach(values, edges))
    return factors_scale([exp(one) for one in within_reach([*map(log, values)], [*map(log, edges)])])


def _drawn(canvas: Canvas, trace: Trace, place: int) -> str:
    colour, dash = look(place)
    points = finite(trace.steps, trace.values)
    lows, highs = (dict(finite(trace.steps, edge)) if len(edge) else {} for edge in (trace.low, trace.high))
    drawn = canvas.line(points, colour, 2, dash=dash) if len(points) > 1 else ""
    for batch, value in points:
        if batch in lows and batch in highs:
            drawn += canvas.whisker((batch, lows[batch]), (batch, highs[batch]), colour)
        drawn += canvas.dot((batch, value), colour)
    return drawn
