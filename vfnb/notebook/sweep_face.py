"""What a notebook shows for a sweep: its pictures and table, drawn anew while it trains; the last ones stay."""

import threading
import time
from contextlib import suppress
from typing import Any

from vfnb.notebook.showing import has_page, present, present_cell
from vfnb.session import Sweep

_EVERY = 2.0  # seconds; curves are read no faster
_SHARE = 0.05  # of this thread's time that drawing may take: long curves are drawn less often
_LIVE: dict[Sweep, "SweepFace"] = {}  # a sweep is drawn by one thread, however often it is shown
_LOCK = threading.Lock()


class SweepFace:
    """A sweep, where it can be seen.

    Args:
        sweep: To be shown.

    Attributes:
        thread: That draws it; it ends with the sweep.
    """

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep
        self._places: dict[str, Any] = {}  # the cells that show it: how each is brought up to date
        self._shown = ""
        self.thread = threading.Thread(target=self._follow, daemon=True, name=f"vfnb sweep's face {sweep.name}")

    def _ipython_display_(self) -> None:
        if not has_page():
            present(_bundle(self._sweep))  # a terminal: as it is now
            return
        cell = present_cell()
        if cell and cell in self._places:
            return  # a call's cell may end with its sweep
        self._places[cell] = present(_bundle(self._sweep), display_id=True)
        with _LOCK:
            if not self.thread.is_alive() and self._sweep in _LIVE:
                self.thread.start()

    def _follow(self) -> None:
        over, took = False, 0.0
        while not over:
            with suppress(TimeoutError):
                self._sweep.wait(max(_EVERY, took / _SHARE))
            over = not self._sweep.running
            begun = time.monotonic()
            bundle = _bundle(self._sweep)
            took = time.monotonic() - begun
            if bundle["text/html"] != self._shown:
                self._shown = bundle["text/html"]
                for place in list(self._places.values()):
                    place.update(bundle, raw=True)
        with _LOCK:
            _LIVE.pop(self._sweep, None)


def sweep_face(sweep: Sweep) -> SweepFace:
    """Make a sweep's face.

    Args:
        sweep: To be shown.

    Returns:
        The same one while the sweep trains.
    """
    with _LOCK:
        if not sweep.running or not has_page():
            return SweepFace(sweep)
        return _LIVE.setdefault(sweep, SweepFace(sweep))


def _bundle(sweep: Sweep) -> dict[str, str]:
    return {"text/plain": repr(sweep), "text/html": sweep._repr_html_()}
