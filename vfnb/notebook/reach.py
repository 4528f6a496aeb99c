"""The chart of an estimate: time to train against the number of devices, a line a kind, dotted where none fits."""

from collections.abc import Sequence
from math import log10
from typing import Any

import plotly.graph_objects as go

from vfnb.planning import Curve, Estimate, Range, Reach, curves, duration

_GREY, _FAINT, _CLEAR = "#888888", "rgba(136,136,136,0.25)", "rgba(0,0,0,0)"
# As in the panel: told apart by people who see colours otherwise, legible on light and dark pages.
_COLOURS = ("#1f83c9", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9")
_SHADE = "rgba(31,131,201,0.18)"  # the first colour's
_TICKS = (1e-3, 1e-2, 0.1, 1, 10, 60, 600, 3_600, 36_000, 86_400, 864_000, 8_640_000, 86_400_000)


def chart(estimate: Estimate, accelerators: Sequence[str] = ()) -> Any:
    """Draw the time to train against the number of devices.

    Args:
        estimate: Of the run on its target.
        accelerators: Beside the target's own; without any a few that are well known.

    Returns:
        A plotly figure.
    """
    found = curves(estimate, accelerators)
    figure = go.Figure(layout=_layout(estimate, found))
    figure.add_traces(_band(found[0]))
    for place, curve in enumerate(found):
        figure.add_traces(_traces(curve, _COLOURS[place % len(_COLOURS)], width=3 if place == 0 else 1.5))
    figure.add_trace(_target(estimate, found[0]))
    return figure


def _traces(curve: Curve, colour: str, *, width: float) -> list[Any]:
    """Draw a kind: dotted up to the memory wall, solid from there on, the wall itself marked."""
    wall = curve.wall
    short = [one for one in curve.reaches if wall is None or one.devices <= wall.devices]
    fits = [one for one in curve.reaches if one.fits]
    name = curve.accelerator if fits else f"{curve.accelerator}: does not fit"
    common: dict[str, Any] = {"legendgroup": curve.accelerator, "mode": "lines"}
    line = {"color": colour, "width": width}
    traces = [
        _line(curve, fits, name=name, line=line, showlegend=bool(fits), **common),
        _line(curve, short, name=name, line={**line, "dash": "dot"}, showlegend=not fits, **common),
    ]
    if wall is None or wall is curve.reaches[0]:
        return traces
    mark = {"color": colour, "symbol": "line-ns", "size": 18, "line": {"color": colour, "width": 3}}
    said = f"memory wall: fewer than {wall.devices:,} do not hold their part of the batch"
    common |= {"mode": "markers", "showlegend": False}
    return [*traces, _line(curve, [wall], name=name, marker=mark, said=said, **common)]


def _line(curve: Curve, reaches: Sequence[Reach], *, said: str = "", **drawn: Any) -> Any:
    return go.Scatter(
        x=[one.devices for one in reaches],
        y=[one.seconds.mid for one in reaches],
        text=[said or _about(curve, one) for one in reaches],
        hovertemplate="%{text}<extra></extra>",
        **drawn,
    )


def _about(curve: Curve, reach: Reach) -> str:
    return (
        f"{reach.devices:,} x {curve.accelerator}: {_spanned(reach.seconds)}<br>"
        f"{reach.batch_per_device:,} samples a {curve.unit}: {reach.verdict}"
    )


def _spanned(span: Range) -> str:
    return f"{duration(span.mid)} ({duration(span.low)} to {duration(span.high)})"


def _band(curve: Curve) -> list[Any]:
    """Shade the target's range between low and high."""
    across = [one.devices for one in curve.reaches]
    common = {"x": across, "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    fill = {"fill": "tonexty", "fillcolor": _SHADE}
    return [
        go.Scatter(y=[one.seconds.low for one in curve.reaches], **common),
        go.Scatter(y=[one.seconds.high for one in curve.reaches], **common, **fill),
    ]


def _target(estimate: Estimate, curve: Curve) -> Any:
    """Mark the target itself."""
    reach = min(curve.reaches, key=lambda one: abs(one.devices - estimate.target.count))
    mark = {"color": _COLOURS[0], "size": 11, "symbol": "circle" if reach.fits else "x"}
    return _line(curve, [reach], name="the target", mode="markers", marker=mark)


def _layout(estimate: Estimate, found: Sequence[Curve]) -> dict[str, Any]:
    line = {"gridcolor": _FAINT, "linecolor": _FAINT, "zeroline": False, "automargin": True}
    spans = [one.seconds for curve in found for one in curve.reaches]
    least, most = min(one.low for one in spans), max(one.high for one in spans)
    ticks = [tick for tick in _TICKS if least / 10 <= tick <= most * 10]
    last = found[0].reaches[-1].devices
    what = "a step" if estimate.length is None else f"{estimate.length.steps:,} steps"
    shapes, notes = [], [_note(f"{estimate.model}, batch {estimate.target.global_batch:,}, {estimate.precision}")]
    if last == estimate.target.global_batch:
        shapes.append(_end(last))
        notes.append(_ended(last))
    return {
        "template": "none",
        "height": 420,
        "margin": {"l": 64, "r": 20, "t": 60, "b": 48},
        "paper_bgcolor": _CLEAR,
        "plot_bgcolor": _CLEAR,
        "font": {"color": _GREY, "size": 12},
        "hovermode": "closest",
        "modebar": {"bgcolor": _CLEAR, "color": _GREY, "activecolor": _COLOURS[0]},
        "legend": {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "bgcolor": _CLEAR},
        "xaxis": {**line, "type": "log", "dtick": 0.30102999566398, "title": {"text": "devices"}, "tickformat": ",d"},
        "yaxis": {
            **line,
            "type": "log",
            "title": {"text": f"time of {what}"},
            "tickvals": ticks,
            "ticktext": [duration(tick) for tick in ticks],
        },
        "shapes": shapes,
        "annotations": notes,
    }


def _note(said: str) -> dict[str, Any]:
    said += "<br>dotted: a device's part of the batch does not fit; shaded: the target's range"
    place = {"xref": "paper", "x": 0, "xanchor": "left", "yref": "paper", "y": 0, "yanchor": "bottom"}
    return {**place, "text": said, "align": "left", "showarrow": False, "font": {"size": 11}}


def _end(last: int) -> dict[str, Any]:
    """Draw the end of the road: more devices than samples."""
    line = {"color": _GREY, "width": 1, "dash": "dash"}
    return {"type": "line", "x0": last, "x1": last, "yref": "paper", "y0": 0, "y1": 1, "line": line}


def _ended(last: int) -> dict[str, Any]:
    place = {"x": log10(last), "xanchor": "right", "yref": "paper", "y": 1, "yanchor": "top"}
    return {**place, "text": "one sample a device", "showarrow": False, "font": {"size": 11}}
