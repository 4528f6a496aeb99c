"""A run's live output under its cell: a progress line and the curve, updated by one thread until the run ends."""

import threading
from collections.abc import Callable
from typing import Any

from IPython.core.display import HTML
from IPython.core.display_functions import display
from IPython.core.getipython import get_ipython
from tqdm.auto import tqdm

from vfnb.notebook.curve import draw
from vfnb.session import Job

# IPython's display functions are not typed.
_page: Callable[[str], Any] = HTML
_show: Callable[..., Any] = display
_shell: Callable[[], Any] = get_ipython

_EVERY = 0.5  # seconds; a page draws no faster than it is looked at


def follow(job: Job) -> threading.Thread:
    """Show a run's progress and curve under the present cell, and return at once.

    Outside a notebook there is no curve, only the progress line.

    Args:
        job: Started.

    Returns:
        The thread that updates them; it ends with the run.
    """
    # A display with an id is a page's; a terminal would print each update on a line of its own.
    curve = _show(_page(""), display_id=True) if hasattr(_shell(), "kernel") else None
    bar = tqdm(total=job.steps, initial=_step(job), unit="step", desc=job.name)
    thread = threading.Thread(target=_follow, args=(job, bar, curve), daemon=True, name=f"vfnb curve {job.name}")
    thread.start()
    return thread


def _follow(job: Job, bar: Any, curve: Any) -> None:
    tick, over, shown = threading.Event(), False, (-1, "", -1)
    while not over:
        over = job.state in ("done", "stopped", "failed")
        now = (_step(job), job.state, len(job.events))
        if now != shown:
            _update(job, bar, curve)
        shown = now
        tick.wait(0 if over else _EVERY)
    bar.close()


def _step(job: Job) -> int:
    history = job.history
    return 0 if history.empty else int(history.step.iloc[-1])


def _update(job: Job, bar: Any, curve: Any) -> None:
    history = job.history
    if history.empty:
        return
    last = history.iloc[-1]
    bar.n = int(last.step)
    # A dict, since the unit is no Python name; the bar itself tells the time left.
    bar.set_postfix({"loss": f"{last.loss:.4g}", "samples/s": f"{last.samples_per_second:.0f}", "state": job.state})
    if curve is not None:
        curve.update(_page(draw(history.step.tolist(), history.loss.tolist(), job.events)))
