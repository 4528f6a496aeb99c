"""How curves of one picture are told apart: each one's colour, dashes and name."""

from html import escape

from vfnb.figures.canvas import DASHES, LEFT, PALETTE, TOP, WIDTH

MOST = 9  # curves: more are a thicket
_COLUMNS, _LETTERS = 3, 26


def look(place: int) -> tuple[str, str]:
    """Give a curve its look; colour and dashes change apart, so that no two look alike, in grey neither.

    Args:
        place: The curve's, from 0.

    Returns:
        Colour and dashes.
    """
    return PALETTE[place % len(PALETTE)], DASHES[(place + place // len(PALETTE)) % len(DASHES)]


def named(label: str, place: int) -> str:
    """Write a curve's name above the picture, beside a piece of it.

    Args:
        label: The name.
        place: The curve's, from 0.

    Returns:
        SVG.
    """
    row, column = divmod(place, _COLUMNS)
    x, y = LEFT + column * (WIDTH - LEFT) / _COLUMNS, TOP - 40 + 14 * row
    colour, dash = look(place)
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    text = label if len(label) <= _LETTERS else f"{label[: _LETTERS - 1]}\u2026"
    return (
        f'<path d="M{x:.0f} {y - 4}h24" stroke="{colour}" stroke-width="2.4"{dashed}/>'
        f'<text x="{x + 30:.0f}" y="{y}">{escape(text)}</text>'
    )
