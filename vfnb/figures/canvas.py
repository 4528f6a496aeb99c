"""A plot's frame as SVG: axes with ticks and titles, and where a point stands in it.

Colours have a contrast of 3 and more against white and against black, since a saved page does not know which of
the two it is shown on; text and rules are a middle grey. No style sheet: pages that clean foreign HTML drop it.
"""

from collections.abc import Iterable
from html import escape

from vfnb.figures.scale import Scale, said
from vfnb.figures.thinning import Point

WIDTH, HEIGHT = 720, 300
LEFT, RIGHT, TOP, BOTTOM = 66, 32, 56, 44
GREY, RULE = "#808080", "#80808040"
PALETTE = ("#2f86c9", "#d0722a", "#2a9d78", "#c0679f", "#7a6fd0", "#8f8a2e")
DASHES = ("", "7 3", "2 3", "9 3 2 3")


class Canvas:
    """The frame that curves are drawn in.

    Args:
        steps: The axis across.
        values: The axis up.
    """

    def __init__(self, steps: Scale, values: Scale) -> None:
        self.steps, self.values = steps, values

    def at(self, point: Point) -> tuple[float, float]:
        """Place a point.

        Args:
            point: (step, value).

        Returns:
            Across and down, in the picture's own units.
        """
        across = LEFT + self.steps.share(point[0]) * (WIDTH - LEFT - RIGHT)
        down = HEIGHT - BOTTOM - self.values.share(point[1]) * (HEIGHT - TOP - BOTTOM)
        return across, down

    def line(self, points: Iterable[Point], colour: str, width: float, *, opacity: float = 1.0, dash: str = "") -> str:
        """Draw a curve.

        Args:
            points: (step, value).
            colour: Of the stroke.
            width: Of the stroke.
            opacity: Of the stroke.
            dash: Its pattern; empty for a whole line.

        Returns:
            SVG.
        """
        where = self._places(points)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        return (
            f'<polyline points="{where}" fill="none" stroke="{colour}" stroke-width="{width}" '
            f'stroke-opacity="{opacity}" stroke-linejoin="round"{dashed}/>'
        )

    def band(self, low: list[Point], high: list[Point], colour: str) -> str:
        """Fill the space between two curves, as far as the axis goes.

        Args:
            low: The lower, (step, value).
            high: The upper.
            colour: Of the filling, shown faintly.

        Returns:
            SVG.
        """
        around = [self._inside(point) for point in (*low, *reversed(high))]
        return f'<polygon points="{self._places(around)}" fill="{colour}" fill-opacity="0.18"/>'

    def whisker(self, low: Point, high: Point, colour: str) -> str:
        """Draw an interval around a value; an end beyond the axis is left open.

        Args:
            low: Its lower end, (step, value).
            high: Its upper end, above it.
            colour: Of the stroke.

        Returns:
            SVG.
        """
        (x, foot), (_, head) = self.at(self._inside(low)), self.at(self._inside(high))
        ends = "".join(f"M{x - 4:.1f} {y:.1f}h8" for end, y in ((low, foot), (high, head)) if self._inside(end) == end)
        return f'<path d="M{x:.1f} {foot:.1f}V{head:.1f}{ends}" stroke="{colour}" stroke-width="1.4" fill="none"/>'

    def dot(self, point: Point, colour: str) -> str:
        """Draw a value by itself.

        Args:
            point: (step, value).
            colour: Of the filling.

        Returns:
            SVG.
        """
        x, y = self.at(point)
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6" fill="{colour}"/>'

    def upright(self, step: float, label: str) -> str:
        """Mark a place on the axis across, with a line from top to bottom.

        Args:
            step: The place.
            label: What is there.

        Returns:
            SVG.
        """
        x = self.at((step, self.values.low))[0]
        place, side = (x + 5, "start") if x < 0.7 * WIDTH else (x - 5, "end")
        return (
            f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="{GREY}" stroke-width="1.4" stroke-dasharray="5 3"/>'
            f'<text x="{place:.1f}" y="{HEIGHT - BOTTOM - 8}" text-anchor="{side}">{escape(label)}</text>'
        )

    def framed(self, inside: str, title: str, across: str, up: str) -> str:
        """Put axes around what was drawn.

        Args:
            inside: SVG.
            title: What is shown, for who cannot see it.
            across: The title of the axis across, with its unit.
            up: The title of the axis up.

        Returns:
            An `<svg>` element.
        """
        up = f"{up}, log scale" if self.values.logarithmic else up
        middle = (HEIGHT - BOTTOM + TOP) / 2
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
            f'role="img" aria-label="{escape(title)}" font-family="sans-serif" font-size="12" fill="{GREY}">'
            f"<title>{escape(title)}</title>{self._rules()}{inside}"
            f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(across)}</text>'
            f'<text x="14" y="{middle:.0f}" text-anchor="middle" transform="rotate(-90 14 {middle:.0f})">'
            f"{escape(up)}</text></svg>"
        )

    def _rules(self) -> str:
        drawn = []
        for value in self.values.ticks(5):
            y = self.at((self.steps.low, value))[1]
            drawn.append(
                f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{RULE}"/>'
                f'<text x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{said(value)}</text>'
            )
        foot = HEIGHT - BOTTOM
        for step in self.steps.ticks(8):
            if step != round(step):
                continue
            x = self.at((step, self.values.low))[0]
            drawn.append(
                f'<path d="M{x:.1f} {foot}v5" stroke="{GREY}"/>'
                f'<text x="{x:.1f}" y="{foot + 18}" text-anchor="middle">{said(step)}</text>'
            )
        return f'{"".join(drawn)}<path d="M{LEFT} {foot}H{WIDTH - RIGHT}" stroke="{GREY}"/>'

    def _inside(self, point: Point) -> Point:
        return point[0], min(max(point[1], self.values.low), self.values.high)

    def _places(self, points: Iterable[Point]) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in map(self.at, points))
