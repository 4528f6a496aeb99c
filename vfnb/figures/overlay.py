"""Several runs' losses in one picture: a curve a group of runs, with the spread of its runs around their mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from vfnb.figures.canvas import DASHES, LEFT, PALETTE, TOP, WIDTH, Canvas
from vfnb.figures.scale import steps_scale, values_scale
from vfnb.figures.thinning import Point, finite, thinned

_POINTS = 400
_SHOWN = 9  # curves: more are a thicket
_COLUMNS, _LETTERS = 3, 26


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A curve.

    Args:
        label: What it is of.
        steps: Ascending.
        values: One for each; nan where there is none.
        low: The lower edge of the spread; empty where there is no spread.
        high: The upper edge.
    """

    label: str
    steps: Sequence[float]
    values: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


def draw_overlay(traces: Sequence[Trace], up: str = "loss") -> str:
    """Draw curves over each other.

    Args:
        traces: The curves; the first nine are drawn.
        up: The title of the axis up.

    Returns:
        An `<svg>` element; one without a picture where nothing is finite.
    """
    shown = [trace for trace in traces[:_SHOWN] if finite(trace.steps, trace.values)]
    if not shown:
        return '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>'
    every = [point for trace in shown for edge in _edges(trace) for point in edge]
    canvas = Canvas(steps_scale([step for step, _ in every]), values_scale([value for _, value in every]))
    drawn = "".join(_drawn(canvas, trace, place) for place, trace in enumerate(shown))
    names = "".join(_named(trace, place) for place, trace in enumerate(shown))
    return canvas.framed(drawn + names, f"{up} over steps of {', '.join(one.label for one in shown)}", "step", up)


def _edges(trace: Trace) -> list[list[Point]]:
    edges = [finite(trace.steps, trace.values)]
    if len(trace.low):
        edges += [finite(trace.steps, trace.low), finite(trace.steps, trace.high)]
    return edges


def _drawn(canvas: Canvas, trace: Trace, place: int) -> str:
    middle, *edges = _edges(trace)
    colour, dash = _look(place)
    low_high = [thinned(edge, _POINTS) for edge in edges]
    band = canvas.band(low_high[0], low_high[1], colour) if low_high else ""
    return band + canvas.line(thinned(middle, _POINTS), colour, 2, dash=dash)


def _named(trace: Trace, place: int) -> str:
    row, column = divmod(place, _COLUMNS)
    x, y = LEFT + column * (WIDTH - LEFT) / _COLUMNS, TOP - 40 + 14 * row
    colour, dash = _look(place)
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    text = trace.label if len(trace.label) <= _LETTERS else f"{trace.label[: _LETTERS - 1]}\u2026"
    return (
        f'<path d="M{x:.0f} {y - 4}h24" stroke="{colour}" stroke-width="2.4"{dashed}/>'
        f'<text x="{x + 30:.0f}" y="{y}">{escape(text)}</text>'
    )


def _look(place: int) -> tuple[str, str]:
    # Colour and dashes change apart, so that no two look alike, in grey neither.
    return PALETTE[place % len(PALETTE)], DASHES[(place + place // len(PALETTE)) % len(DASHES)]
