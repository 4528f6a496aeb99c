"""What a notebook shows for a pool: its live panel, and beside it what lasts."""

import threading
from typing import Any

from vfnb.notebook.showing import can_live, present, variables
from vfnb.notebook.still import Bundle
from vfnb.session import Job, Pool

_VIEW = "application/vnd.jupyter.widget-view+json"
_LIVE: dict[Pool, "PoolDashboard"] = {}  # a pool has one panel, however often it is shown
_LOCK = threading.Lock()


class PoolDashboard:
    """A pool's panel, where it can be seen.

    Args:
        pool: To be shown.

    Attributes:
        widget: The panel, to be put beside other widgets.
    """

    def __init__(self, pool: Pool) -> None:
        from vfnb.notebook.panel.pooling import PoolPanel

        self._pool, self._panel = pool, PoolPanel(pool, waiting, self._rested, self._last)
        self.widget = self._panel.widget
        self._places: list[Any] = []  # the cells that show it
        self._panel.painter.start()

    def close(self) -> None:
        """Leave what is seen now in the panel's place; the jobs go on."""
        self._panel.painter.stop()

    def _ipython_display_(self) -> None:
        self._places.append(present(self._bundle(), display_id=True))

    def _bundle(self) -> dict[str, Any]:
        view = {"version_major": 2, "version_minor": 0, "model_id": self.widget.model_id}
        return still(self._pool) | {_VIEW: view}

    def _rested(self) -> None:
        """Keep in the saved cells how the jobs ended; the panel stays, for the next ones."""
        for place in self._places:
            place.update(self._bundle(), raw=True)

    def _last(self) -> None:
        with _LOCK:
            _LIVE.pop(self._pool, None)
        for place in self._places:
            place.update(still(self._pool), raw=True)
        self._panel.close()


class PoolCard:
    """A pool as it is now, where nothing can move.

    Args:
        pool: To be shown.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def _ipython_display_(self) -> None:
        present(still(self._pool))


def pool_dashboard(pool: Pool) -> PoolDashboard | PoolCard:
    """Make a pool's face: a live panel where there are a kernel and widgets and the pool is open.

    Args:
        pool: To be shown.

    Returns:
        The same panel each time; or what stands still.
    """
    if (pool.closed and not pool.busy) or not can_live():
        return PoolCard(pool)
    with _LOCK:
        if pool not in _LIVE:
            _LIVE[pool] = PoolDashboard(pool)
        return _LIVE[pool]


def still(pool: Pool) -> Bundle:
    """Represent a pool as it is now.

    Args:
        pool: Which.

    Returns:
        A line of text, and a table with the allocation.
    """
    return {"text/plain": repr(pool), "text/html": pool._repr_html_()}


def waiting() -> dict[str, Job]:
    """Name the jobs in the user's variables that are not started, and in no pool.

    Returns:
        The jobs by variable.
    """
    held = list(variables().items())
    jobs = {name: value for name, value in held if isinstance(value, Job) and not name.startswith("_")}
    return {name: job for name, job in jobs.items() if job.state == "new" and not job.pooled}
