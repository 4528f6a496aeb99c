"""A run's live output under its cell: a progress line and the curve, updated by one thread until the run ends."""

import threading
from collections.abc import Callable
from typing import Any

from IPython.core.display import HTML
from IPython.core.display_functions import display
from tqdm.auto import tqdm

from vfnb.notebook.curve import draw
from vfnb.session import Job

# IPython's display functions are not typed.
_page: Callable[[str], Any] = HTML
_show: Callable[..., Any] = display

_EVERY = 0.5  # seconds; a page draws no faster than it is looked at


def follow(job: Job) -> threading.Thread:
    """Show a run's progress and curve under the present cell, and return at once.

    Args:
        job: Started.

    Returns:
        The thread that updates them; it ends with the run.
    """
    bar = tqdm(total=job.steps, unit="step", desc=job.name)
    curve = _show(_page(""), display_id=True)
    thread = threading.Thread(target=_follow, args=(job, bar, curve), daemon=True, name=f"vfnb curve {job.name}")
    thread.start()
    return thread


def _follow(job: Job, bar: Any, curve: Any) -> None:
    over = False
    while not over:
        over = job.state in ("done", "stopped", "failed")
        _update(job, bar, curve)
        threading.Event().wait(0 if over else _EVERY)
    bar.close()


def _update(job: Job, bar: Any, curve: Any) -> None:
    history = job.history
    if history.empty:
        return
    last = history.iloc[-1]
    bar.n = int(last.step)
    speed = last.samples_per_second
    bar.set_postfix(loss=f"{last.loss:.4g}", samples_per_second=f"{speed:.0f}", state=job.state)
    if curve is not None:
        curve.update(_page(draw(history.step.tolist(), history.loss.tolist(), job.events)))
