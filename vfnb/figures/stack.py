"""Who has how many devices, stacked over time."""

from collections.abc import Mapping, Sequence
from html import escape

from vfnb.figures.canvas import LEFT, PALETTE, TOP, WIDTH, Canvas
from vfnb.figures.scale import Scale

_COLUMNS, _LETTERS, _ROWS = 4, 18, 2
_MOST = 400  # spans; beyond, neighbours are joined and what changed in between is not seen

Change = tuple[float, str, int]  # seconds, job, how many devices it has from then on


def draw_stack(changes: Sequence[Change], total: int, now: float, up: str = "devices") -> str:
    """Draw stacked allocations, a colour a job in the order of their first devices.

    Args:
        changes: In the order of time.
        total: How many devices there are.
        now: Where the last allocation ends.
        up: The title of the axis up.

    Returns:
        An `<svg>` element; one without a picture where nothing happened.
    """
    if not changes:
        return '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>'
    begin = changes[0][0]
    canvas = Canvas(Scale(begin, max(now, begin + 1.0)), Scale(0.0, float(total)))
    places = {name: place for place, name in enumerate(dict.fromkeys(name for _, name, _ in changes))}
    drawn = "".join(
        _bar(canvas.at((since, below)), canvas.at((until, below + devices)), f"{name}: {devices}", places[name])
        for (since, until), sizes in _spans(changes, max(now, changes[-1][0]))
        for name, below, devices in _stacked(sizes)
    )
    names = "".join(_named(name, place) for name, place in places.items() if place < _COLUMNS * _ROWS)
    return canvas.framed(drawn + names, f"{up} of {', '.join(places)} over time", "seconds", up)


def colour(place: int) -> str:
    """Give a job's colour.

    Args:
        place: Its place in the order of first devices.

    Returns:
        In hexadecimal digits.
    """
    return PALETTE[place % len(PALETTE)]


def _spans(changes: Sequence[Change], now: float) -> list[tuple[tuple[float, float], dict[str, int]]]:
    """List (from, to) with who has how many, between changes."""
    sizes: dict[str, int] = dict.fromkeys((name for _, name, _ in changes), 0)
    spans, since = [], changes[0][0]
    apart = (now - since) / _MOST
    for when, name, devices in changes:
        if when - since > apart:
            spans.append(((since, when), dict(sizes)))
            since = when
        sizes[name] = devices
    return [*spans, ((since, now), dict(sizes))]


def _stacked(sizes: Mapping[str, int]) -> list[tuple[str, int, int]]:
    below, stacked = 0, []
    for name, devices in sizes.items():
        if devices:
            stacked.append((name, below, devices))
        below += devices
    return stacked


def _bar(low: tuple[float, float], high: tuple[float, float], title: str, place: int) -> str:
    (left, foot), (right, top) = low, high
    return (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{max(0.0, right - left):.1f}" height="{foot - top:.1f}" '
        f'fill="{colour(place)}"><title>{escape(title)}</title></rect>'
    )


def _named(name: str, place: int) -> str:
    row, column = divmod(place, _COLUMNS)
    x, y = LEFT + column * (WIDTH - LEFT) / _COLUMNS, TOP - 26 + 16 * row
    text = name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}\u2026"
    return (
        f'<rect x="{x:.0f}" y="{y - 10}" width="12" height="12" fill="{colour(place)}"/>'
        f'<text x="{x + 18:.0f}" y="{y}">{escape(text)}</text>'
    )
