"""Static pictures and tables of runs as HTML text: values in, text out, legible on light and on dark pages."""

from vfnb.figures.by_batch import draw_by_batch
from vfnb.figures.curve import draw_curve
from vfnb.figures.lanes import Lane, draw_lanes
from vfnb.figures.overlay import Trace, draw_overlay
from vfnb.figures.page import grid, image, snapshot
from vfnb.figures.stack import colour, draw_stack
from vfnb.figures.thinning import smoothed, thinned

__all__ = [
    "Lane",
    "Trace",
    "colour",
    "draw_by_batch",
    "draw_curve",
    "draw_lanes",
    "draw_overlay",
    "draw_stack",
    "grid",
    "image",
    "smoothed",
    "snapshot",
    "thinned",
]
