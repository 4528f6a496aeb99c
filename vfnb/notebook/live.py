"""Following a run under the present cell: its panel in a notebook, a progress line elsewhere."""

import threading
from typing import Any

from tqdm.auto import tqdm

from vfnb.notebook.showing import Dashboard, dashboard
from vfnb.session import Job

_EVERY = 0.5  # seconds; a line is read no faster


def follow(job: Job) -> threading.Thread:
    """Show a run live under the present cell, and return at once.

    Without a page that shows widgets there is a progress line.

    Args:
        job: Started.

    Returns:
        The thread that keeps it up to date; it ends with the run.
    """
    face = dashboard(job)
    if isinstance(face, Dashboard):
        face._ipython_display_()
        return face.thread
    bar = tqdm(total=job.steps, initial=_step(job), unit="step", desc=job.name)
    thread = threading.Thread(target=_follow, args=(job, bar), daemon=True, name=f"vfnb line {job.name}")
    thread.start()
    return thread


def _follow(job: Job, bar: Any) -> None:
    tick, over, shown = threading.Event(), False, (-1, "", -1)
    while not over:
        over = job.state in ("done", "stopped", "failed")
        now = (_step(job), job.state, len(job.events))
        if now != shown:
            _update(job, bar)
        shown = now
        tick.wait(0 if over else _EVERY)
    bar.close()


def _step(job: Job) -> int:
    history = job.history
    return 0 if history.empty else int(history.step.iloc[-1])


def _update(job: Job, bar: Any) -> None:
    history = job.history
    if history.empty:
        return
    last = history.iloc[-1]
    bar.n = int(last.step)
    # A dict, since the unit is no Python name; the bar itself tells the time left.
    bar.set_postfix({"loss": f"{last.loss:.4g}", "samples/s": f"{last.samples_per_second:.0f}", "state": job.state})
