"""A job as it stays: what a saved notebook shows of it, without a kernel, a widget or a script."""

from base64 import b64encode
from typing import Any

from vfnb.figures import draw_curve, image
from vfnb.session import Job

Bundle = dict[str, str]  # a representation by media type


def still(job: Job) -> Bundle:
    """Represent a job as it is now.

    Args:
        job: Which.

    Returns:
        A line of text, and a table with the curve.
    """
    history = job.history
    curve = "" if history.empty else image(draw_curve(history.step.tolist(), history.loss.tolist(), job.events))
    return {"text/plain": repr(job), "text/html": job._repr_html_() + curve}


def picture(figure: Any, *, kaleido: bool) -> Bundle:
    """Represent a figure as PNG, which every page shows: some strip what else a saved notebook holds.

    Args:
        figure: plotly's.
        kaleido: Whether plotly's drawing library is installed.

    Returns:
        The picture; nothing where kaleido is missing, or a browser for it to draw with. Takes seconds.
    """
    if not kaleido:
        return {}
    try:
        drawn = figure.to_image(format="png", width=720, height=360)
    except Exception:  # noqa: BLE001  # whatever stands in its way, the run has ended well and its curve is there as SVG
        return {}
    return {"image/png": b64encode(drawn).decode()}
