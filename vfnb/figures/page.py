"""Tables and images as HTML that needs no script and no style sheet, and a run's snapshot: its curve and its facts."""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape

from vfnb.figures.curve import draw_curve
from vfnb.spec import Event

_CELL = 'style="text-align:left;padding:2px 10px 2px 0;border:0;white-space:nowrap"'


def snapshot(facts: Mapping[str, str], steps: Sequence[int], losses: Sequence[float], events: Sequence[Event]) -> str:
    """Draw a run as it stands, to stay in a saved notebook.

    Args:
        facts: What to say beside the curve, by heading; empty ones are left out.
        steps: The steps' numbers, ascending.
        losses: Their losses.
        events: The run's.

    Returns:
        HTML, far below 200 KB however long the run.
    """
    rows = "".join(
        f"<tr><th {_CELL}>{escape(head)}</th><td {_CELL}>{escape(text)}</td></tr>"
        for head, text in facts.items()
        if text
    )
    return f"<div>{image(draw_curve(steps, losses, events))}<table>{rows}</table></div>"


def image(svg: str) -> str:
    """Put a drawing into a page as an image: JupyterLab shows those of a notebook that it does not trust yet.

    Args:
        svg: An `<svg>` element with an `aria-label`, which becomes the image's text.

    Returns:
        HTML.
    """
    label = re.search(r'aria-label="([^"]*)"', svg)
    data = b64encode(svg.encode()).decode()
    return f'<img alt="{label[1] if label else ""}" style="max-width:100%" src="data:image/svg+xml;base64,{data}">'


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Draw a table, a row each.

    Args:
        heads: Of its columns.
        rows: Their cells.

    Returns:
        HTML.
    """
    top = "".join(f"<th {_CELL}>{escape(head)}</th>" for head in heads)
    body = "".join("<tr>" + "".join(f"<td {_CELL}>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
