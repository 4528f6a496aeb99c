"""A job as it stays: what a saved notebook shows of it, without a kernel, a widget or a script."""

from vfnb.figures import draw_curve
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
    picture = "" if history.empty else draw_curve(history.step.tolist(), history.loss.tolist(), job.events)
    return {"text/plain": repr(job), "text/html": job._repr_html_() + picture}
