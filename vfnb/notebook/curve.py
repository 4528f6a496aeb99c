"""A plain loss curve as inline SVG: it needs no widget, and stays in the saved notebook."""

from collections.abc import Sequence
from math import isfinite, log10

from vfnb.spec import Event, Resized, WorkerLost

_WIDTH, _HEIGHT, _EDGE, _TOP = 640, 220, 44, 50
_LABELS = 3  # rows of labels above the curve: neighbours do not cover each other
_POINTS = 500


def draw(steps: Sequence[int], losses: Sequence[float], events: Sequence[Event] = ()) -> str:
    """Draw losses over steps, with a mark at each resize and lost worker.

    Args:
        steps: Their numbers.
        losses: Their losses; a skipped step's NaN is left out.
        events: The run's.

    Returns:
        An `<svg>` element.
    """
    points = [(step, loss) for step, loss in zip(steps, losses, strict=True) if isfinite(loss)]
    if not points:
        return '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>'
    left, right = points[0][0], max(points[-1][0], points[0][0] + 1)
    low, high = min(loss for _, loss in points), max(loss for _, loss in points)
    # Losses that span decades are read on a logarithmic axis.
    wide = low > 0 and high > 20 * low
    bottom, top = (log10(low), log10(high)) if wide else (low, high)

    def at(step: float, loss: float) -> tuple[float, float]:
        up = ((log10(loss) if wide else loss) - bottom) / ((top - bottom) or 1.0)
        across = _EDGE + (step - left) / (right - left) * (_WIDTH - 2 * _EDGE)
        return across, _HEIGHT - _EDGE - up * (_HEIGHT - _EDGE - _TOP)

    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in _thinned(points)))
    shown = [(event, said) for event in events if left <= event.step <= right and (said := _said(event))]
    marks = "".join(_mark(at(event.step, high)[0], row % _LABELS, *said) for row, (event, said) in enumerate(shown))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        'role="img" aria-label="loss over steps" font-family="sans-serif" font-size="11" fill="#888">'
        f'{marks}<polyline points="{line}" fill="none" stroke="#0072B2" stroke-width="1.6"/>'
        f'<text x="2" y="{_TOP + 4}">{high:.3g}</text><text x="2" y="{_HEIGHT - _EDGE + 4}">{low:.3g}</text>'
        f'<text x="2" y="{(_HEIGHT + _TOP - _EDGE) // 2}">loss</text>'
        f'<text x="{_EDGE}" y="{_HEIGHT - 24}">step {left}</text>'
        f'<text x="{_WIDTH - _EDGE}" y="{_HEIGHT - 24}" text-anchor="end">step {right}</text></svg>'
    )


def _thinned(points: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Keep each bucket's lowest and highest point, so that spikes stay."""
    size = -(-2 * len(points) // _POINTS)
    if size <= 1:
        return points
    kept = []
    for start in range(0, len(points), size):
        bucket = points[start : start + size]
        kept += sorted({min(bucket, key=lambda point: point[1]), max(bucket, key=lambda point: point[1])})
    return kept


def _said(event: Event) -> tuple[str, str, str] | None:
    """Give an event's label, colour and dashes; None where it has no mark."""
    match event:
        case Resized(after=after):
            return f"{len(after)} worker{'s' * (len(after) != 1)}", "#009E73", "4 3"
        case WorkerLost(worker=worker):
            return f"worker {worker} lost", "#D55E00", "1 2"
        case _:
            return None


def _mark(across: float, row: int, label: str, colour: str, dash: str) -> str:
    place, side = (across + 3, "start") if across < 0.8 * _WIDTH else (across - 3, "end")
    height = _TOP - 8 - 13 * row
    return (
        f'<line x1="{across:.1f}" x2="{across:.1f}" y1="{height - 9}" y2="{_HEIGHT - _EDGE}" stroke="{colour}" '
        f'stroke-dasharray="{dash}"/>'
        f'<text x="{place:.1f}" y="{height}" text-anchor="{side}" fill="{colour}">{label}</text>'
    )
