"""A plain loss curve as inline SVG: it needs no widget, and stays in the saved notebook."""

from collections.abc import Sequence

from vfnb.spec import Event, Resized, WorkerLost

_WIDTH, _HEIGHT, _EDGE = 640, 220, 36
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
    points = [(step, loss) for step, loss in zip(steps, losses, strict=True) if loss == loss]  # noqa: PLR0124  # NaN
    if not points:
        return '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>'
    left, right = points[0][0], max(points[-1][0], points[0][0] + 1)
    low, high = min(loss for _, loss in points), max(loss for _, loss in points)
    span = (high - low) or 1.0

    def at(step: float, loss: float) -> tuple[float, float]:
        across = _EDGE + (step - left) / (right - left) * (_WIDTH - 2 * _EDGE)
        return across, _HEIGHT - _EDGE - (loss - low) / span * (_HEIGHT - 2 * _EDGE)

    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in _thinned(points)))
    marks = "".join(_mark(at(event.step, high)[0], event) for event in events if left <= event.step <= right)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        'role="img" aria-label="loss over steps" font-family="sans-serif" font-size="11" fill="#888">'
        f'<polyline points="{line}" fill="none" stroke="#0072B2" stroke-width="1.6"/>{marks}'
        f'<text x="2" y="{_EDGE}">{high:.3g}</text><text x="2" y="{_HEIGHT - _EDGE}">{low:.3g}</text>'
        f'<text x="{_EDGE}" y="{_HEIGHT - 8}">step {left}</text>'
        f'<text x="{_WIDTH - _EDGE}" y="{_HEIGHT - 8}" text-anchor="end">step {right}</text></svg>'
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


def _mark(across: float, event: Event) -> str:
    match event:
        case Resized(after=after):
            label, colour, dash = f"{len(after)} workers", "#009E73", "4 3"
        case WorkerLost(worker=worker):
            label, colour, dash = f"worker {worker} lost", "#D55E00", "1 2"
        case _:
            return ""
    return (
        f'<line x1="{across:.1f}" x2="{across:.1f}" y1="{_EDGE - 14}" y2="{_HEIGHT - _EDGE}" stroke="{colour}" '
        f'stroke-dasharray="{dash}"/><text x="{across + 3:.1f}" y="{_EDGE - 6}" fill="{colour}">{label}</text>'
    )
