"""One run's loss over its steps: each step thin, smoothed thick, with marks where its workers changed."""

from collections.abc import Sequence

from vfnb.figures.canvas import BOTTOM as FOOT
from vfnb.figures.canvas import GREY, HEIGHT, PALETTE, TOP, WIDTH, Canvas
from vfnb.figures.scale import steps_scale, values_scale
from vfnb.figures.thinning import finite, smoothed, thinned
from vfnb.spec import Event, Paused, Resized, WorkerLost

_POINTS = 600
_ROWS = 3  # of labels above the curve: neighbours do not cover each other
_MOST_LABELS, _MOST_MARKS = 9, 120
_FEW = 12  # steps that are not smoothed: there is nothing to smooth
_EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>'


def draw_curve(steps: Sequence[int], losses: Sequence[float], events: Sequence[Event] = ()) -> str:
    """Draw losses over steps, with a mark at each resize, lost worker and pause.

    Args:
        steps: Their numbers, ascending.
        losses: Their losses; a skipped step's NaN is left out.
        events: The run's.

    Returns:
        An `<svg>` element of less than 60 KB, however long the run.
    """
    points = finite(steps, losses)
    if not points:
        return _EMPTY
    canvas = Canvas(steps_scale([step for step, _ in points]), values_scale([loss for _, loss in points]))
    few = len(points) <= _FEW
    raw = canvas.line(thinned(points, _POINTS), PALETTE[0], 2.2 if few else 1, opacity=1.0 if few else 0.45)
    smooth = "" if few else canvas.line(thinned(smoothed(points), _POINTS), PALETTE[0], 2.4)
    title = f"loss over steps {points[0][0]:,} to {points[-1][0]:,}, last {points[-1][1]:.4g}"
    up = "loss" if few else "loss (thick: smoothed)"
    return canvas.framed(_marks(canvas, events) + raw + smooth, title, "step", up)


def _marks(canvas: Canvas, events: Sequence[Event]) -> str:
    low, high = canvas.steps.low, canvas.steps.high
    shown = [(event.step, mark) for event in events if low <= event.step <= high and (mark := _mark(event))]
    if len(shown) > _MOST_LABELS:
        some = shown[:: -(-len(shown) // _MOST_MARKS)]
        return "".join(_tick(canvas.at((step, canvas.values.low))[0], *mark[:2]) for step, mark in some)
    return "".join(
        _drawn(canvas.at((step, canvas.values.low))[0], place % _ROWS, *mark)
        for place, (step, mark) in enumerate(shown)
    )


def _mark(event: Event) -> tuple[str, str, str] | None:
    """Give an event's label, colour and dashes; None where it has no mark."""
    match event:
        case Resized(after=after):
            return f"{len(after)} worker{'s' * (len(after) != 1)}", PALETTE[2], "5 3"
        case WorkerLost(worker=worker):
            return f"worker {worker} lost", PALETTE[1], "1.5 2.5"
        case Paused():
            return "paused", GREY, "1 5"
        case _:
            return None


def _drawn(across: float, row: int, label: str, colour: str, dash: str) -> str:
    top = TOP - 8 - 15 * row
    line = (
        f'<path d="M{across:.1f} {top - 10}V{HEIGHT - FOOT}" stroke="{colour}" stroke-width="1.4" '
        f'stroke-dasharray="{dash}"/>'
    )
    place, side = (across + 4, "start") if across < 0.8 * WIDTH else (across - 4, "end")
    return f'{line}<text x="{place:.1f}" y="{top}" text-anchor="{side}" fill="{colour}">{label}</text>'


def _tick(across: float, label: str, colour: str) -> str:
    """Draw one of too many marks for lines and labels: short, with its label where it is pointed at."""
    return f'<path d="M{across:.1f} {TOP - 12}v10" stroke="{colour}" stroke-width="1.4"><title>{label}</title></path>'
