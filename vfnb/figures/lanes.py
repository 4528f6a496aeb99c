"""What devices do over a time, one under the other: a bar for each thing that they did."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from vfnb.figures.canvas import GREY, PALETTE, RULE
from vfnb.figures.scale import Scale, said

_WIDTH, _LEFT, _RIGHT = 720, 170, 60
_LANE, _BAR, _TOP, _FOOT = 34, 22, 12, 44
_FAINT = (0.9, 0.6)  # bars beside each other take turns, so that each is seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """A row of bars.

    Args:
        label: What it is of.
        bars: Where each begins and ends, ascending.
        remark: What stands behind the last bar.
    """

    label: str
    bars: Sequence[tuple[float, float]]
    remark: str = ""


def draw_lanes(lanes: Sequence[Lane], across: str, title: str) -> str:
    """Draw bars over an axis that begins at 0.

    Args:
        lanes: From the top down.
        across: The title of the axis, with its unit.
        title: What is shown, for who cannot see it.

    Returns:
        An `<svg>` element.
    """
    last = max((end for lane in lanes for _, end in lane.bars), default=0.0)
    scale, foot = Scale(0.0, last or 1.0), _TOP + _LANE * len(lanes)
    rows = "".join(_drawn(lane, place, scale) for place, lane in enumerate(lanes))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {foot + _FOOT}" width="{_WIDTH}" role="img" '
        f'aria-label="{escape(title)}" font-family="sans-serif" font-size="12" fill="{GREY}"><title>{escape(title)}'
        f"</title>{_axis(scale, foot)}{rows}"
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2:.0f}" y="{foot + _FOOT - 6}" text-anchor="middle">{escape(across)}'
        "</text></svg>"
    )


def _drawn(lane: Lane, place: int, scale: Scale) -> str:
    top = _TOP + _LANE * place
    bars = "".join(
        f'<rect x="{_at(begin, scale):.1f}" y="{top}" width="{max(0.5, _at(end, scale) - _at(begin, scale)):.1f}" '
        f'height="{_BAR}" fill="{PALETTE[place % len(PALETTE)]}" fill-opacity="{_FAINT[number % 2]}"/>'
        for number, (begin, end) in enumerate(lane.bars)
    )
    middle = top + _BAR / 2 + 4
    end = _at(lane.bars[-1][1] if lane.bars else 0.0, scale)
    remark = f'<text x="{end + 6:.1f}" y="{middle:.0f}">{escape(lane.remark)}</text>' if lane.remark else ""
    return f'<text x="{_LEFT - 8}" y="{middle:.0f}" text-anchor="end">{escape(lane.label)}</text>{bars}{remark}'


def _axis(scale: Scale, foot: int) -> str:
    ticks = "".join(
        f'<path d="M{_at(value, scale):.1f} {_TOP}V{foot}" stroke="{RULE}"/>'
        f'<text x="{_at(value, scale):.1f}" y="{foot + 18}" text-anchor="middle">{said(value)}</text>'
        for value in scale.ticks(8)
    )
    return f'{ticks}<path d="M{_LEFT} {foot}H{_WIDTH - _RIGHT}" stroke="{GREY}"/>'


def _at(value: float, scale: Scale) -> float:
    return _LEFT + scale.share(value) * (_WIDTH - _LEFT - _RIGHT)
