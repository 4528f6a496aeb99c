"""The live output's loss curve: the one that `figures` draws."""

from vfnb.figures import draw_curve as draw

__all__ = ["draw"]
