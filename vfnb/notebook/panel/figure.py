"""The one plotly figure of a panel: every trace is there, empty, before it is first shown; then only data move."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from vfnb.notebook.panel.marks import KINDS, Kind, Mark
from vfnb.notebook.panel.scene import METRICS, Curve, Scene, View

_GREY, _FAINT, _CLEAR = "#888888", "rgba(136,136,136,0.25)", "rgba(0,0,0,0)"
_BLUE, _SKY, _GREEN, _RED, _ORANGE, _PINK = "#1f83c9", "#56b4e9", "#009e73", "#d55e00", "#e69f00", "#cc79a7"
_METRIC_COLOURS = (_GREEN, _BLUE, _ORANGE, _PINK, _RED, _SKY)
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")  # told apart without colours, too
_MARKS: dict[Kind, tuple[str, str, str]] = {
    "resized": (_GREEN, "dash", "triangle-down"),
    "worker lost": (_RED, "dot", "x"),
    "paused": (_GREY, "solid", "square"),
    "step redone": (_ORANGE, "dashdot", "circle-open"),
    "step skipped": (_PINK, "longdash", "diamond-open"),
}
_ONE, _ALL = 300, 660  # pixels high
_TITLES = {"2": "no metrics yet", "3": "learning rate", "5": "samples/s"}  # the others have legends
_PLACES = {"2": ((0, 0.46), (0.29, 0.47)), "3": ((0.54, 1), (0.29, 0.47))} | {
    "4": ((0, 0.46), (0, 0.18)),
    "5": ((0.54, 1), (0, 0.18)),
}
_TOOLS = ["select2d", "lasso2d", "zoomIn2d", "zoomOut2d"]  # not offered
_LOSS = {False: (0.0, 1.0), True: (0.6, 1.0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pen:
    plot: str
    colour: str
    width: float = 1.5
    dash: str = "solid"
    opacity: float = 1.0
    legend: bool = False


_PENS = {
    "loss": _Pen(plot="", colour=_SKY, width=1, opacity=0.65, legend=True),
    "smooth": _Pen(plot="", colour=_BLUE, width=2.5, legend=True),
    "evaluation": _Pen(plot="", colour=_ORANGE, width=2, dash="dash", legend=True),
    **{
        f"metric {place}": _Pen(plot="2", colour=colour, dash=_DASHES[place], legend=True)
        for place, colour in enumerate(_METRIC_COLOURS[:METRICS])
    },
    "lr": _Pen(plot="3", colour=_BLUE),
    "noise": _Pen(plot="4", colour=_PINK, legend=True),
    "batch": _Pen(plot="4", colour=_GREY, dash="dash", legend=True),
    "speed": _Pen(plot="5", colour=_GREEN),
}


class Plot:
    """A figure and what stands in it. It is written from one thread alone: plotly locks nothing.

    Attributes:
        widget: To be laid out.
    """

    def __init__(self) -> None:
        traces = [_trace(name, pen) for name, pen in _PENS.items()] + [_mark_trace(kind) for kind in KINDS]
        self.widget: Any = go.FigureWidget(data=traces, layout=_layout())
        self.widget._config = {"displaylogo": False}  # noqa: SLF001  # plotly has no other way to it
        self._traces = {trace.meta: trace for trace in self.widget.data}
        self._shown: dict[str, tuple[Any, ...]] = {}
        self._arranged: tuple[View, str, bool] | None = None

    def draw(self, scene: Scene, view: View) -> None:
        """Bring the figure up to date, in as few messages as there can be.

        Args:
            scene: What is to be seen.
            view: How it is looked at.
        """
        with self.widget.batch_update():
            measured = any(len(curve.x) for curve in scene.curves if curve.trace == "metric 0")
            arranged = view, scene.across, measured
            if arranged != self._arranged:
                self._arranged = arranged
                self._arrange(view, scene.across, measured=measured)
            for curve in scene.curves:
                self._draw_curve(curve)
            for kind in KINDS:
                self._draw_marks(kind, [mark for mark in scene.marks if mark.kind == kind])

    def _arrange(self, view: View, across: str, *, measured: bool) -> None:
        layout, every = self.widget.layout, view.all_curves
        layout.height = _ALL if every else _ONE
        layout.yaxis.domain = _LOSS[every]
        layout.yaxis.type = "log" if view.log else "linear"
        layout.xaxis.title.text = across
        for plot in _PLACES:
            layout[f"xaxis{plot}"].visible = layout[f"yaxis{plot}"].visible = every
        for plot, title in zip(_TITLES, layout.annotations, strict=True):
            title.visible = every and not (plot == "2" and measured)
        for name, pen in _PENS.items():
            if pen.plot:
                self._traces[name].visible = every

    def _draw_curve(self, curve: Curve) -> None:
        before, trace = self._shown.get(curve.trace), self._traces[curve.trace]
        if before is not None and np.array_equal(before[0], curve.x) and np.array_equal(before[1], curve.y):
            return
        self._shown[curve.trace] = (curve.x, curve.y)
        trace.x, trace.y = curve.x.astype(float), curve.y.astype(float)
        if trace.name != curve.name:
            trace.name = curve.name
        if _PENS[curve.trace].legend and trace.showlegend != bool(len(curve.x)):
            trace.showlegend = bool(len(curve.x))

    def _draw_marks(self, kind: Kind, found: list[Mark]) -> None:
        said = tuple((mark.x, mark.text) for mark in found)
        if said == self._shown.get(kind, ()):
            return
        self._shown[kind] = said
        trace = self._traces[kind]
        trace.x = np.array([place for mark in found for place in (mark.x, mark.x, np.nan)])
        trace.y = np.array([1.0, 0.0, np.nan] * len(found))
        trace.marker.size = [9, 0, 0] * len(found)
        trace.text = [text for mark in found for text in (mark.text, mark.text, "")]
        trace.showlegend = bool(found)


def _trace(name: str, pen: _Pen) -> Any:
    return go.Scatter(
        meta=name,
        name=name,
        x=[],
        y=[],
        mode="lines",
        line={"color": pen.colour, "width": pen.width, "dash": pen.dash},
        opacity=pen.opacity,
        xaxis=f"x{pen.plot}",
        yaxis=f"y{pen.plot}",
        visible=not pen.plot,
        showlegend=False,
        legend="legend" + pen.plot,
        hovertemplate="%{y:.4g}<extra>%{fullData.name}, %{x}</extra>",
    )


def _mark_trace(kind: Kind) -> Any:
    colour, dash, symbol = _MARKS[kind]
    return go.Scatter(
        meta=kind,
        name=kind,
        x=[],
        y=[],
        mode="lines+markers",
        line={"color": colour, "width": 1.2, "dash": dash},
        marker={"color": colour, "symbol": symbol, "size": 9, "opacity": 1, "line": {"width": 0}},
        cliponaxis=False,
        yaxis="y6",
        showlegend=False,
        hovertemplate="%{text}<extra></extra>",
    )


def _layout() -> dict[str, Any]:
    line = {"gridcolor": _FAINT, "linecolor": _FAINT, "zeroline": False, "automargin": True}
    legend = {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "yanchor": "bottom",
        "bgcolor": _CLEAR,
    }
    axes: dict[str, Any] = {
        "xaxis": {**line, "title": {"text": "step", "standoff": 6}},
        "yaxis": {**line, "domain": _LOSS[False], "title": {"text": "loss", "standoff": 6}},
        "yaxis6": {"overlaying": "y", "range": [0, 1], "fixedrange": True, "visible": False},
    }
    for plot, (across, up) in _PLACES.items():
        axes[f"xaxis{plot}"] = {**line, "domain": across, "anchor": f"y{plot}", "matches": "x", "visible": False}
        axes[f"yaxis{plot}"] = {**line, "domain": up, "anchor": f"x{plot}", "visible": False, "nticks": 5}
    axes["yaxis3"]["rangemode"] = axes["yaxis5"]["rangemode"] = "tozero"
    legends = {f"legend{plot}": {**legend, "x": _PLACES[plot][0][0], "y": _PLACES[plot][1][1]} for plot in ("2", "4")}
    return {
        "template": "none",
        "height": _ONE,
        "autosize": True,
        "margin": {"l": 56, "r": 16, "t": 28, "b": 40},
        "paper_bgcolor": _CLEAR,
        "plot_bgcolor": _CLEAR,
        "font": {"color": _GREY, "size": 12},
        "hovermode": "closest",
        "modebar": {"bgcolor": _CLEAR, "color": _GREY, "activecolor": _BLUE, "remove": _TOOLS},
        "uirevision": "kept",  # a repaint leaves the reader's zoom alone
        "legend": {**legend, "y": 1.0},
        "annotations": [_title(plot) for plot in _TITLES],
        **axes,
        **legends,
    }


def _title(plot: str) -> dict[str, Any]:
    across, up = _PLACES[plot]
    return {
        "text": _TITLES[plot],
        "xref": "paper",
        "yref": "paper",
        "x": across[0],
        "xanchor": "left",
        "y": up[1],
        "yanchor": "bottom",
        "showarrow": False,
        "visible": False,
    }
