"""What a notebook shows for a job: its live panel while it lives, and what lasts of it afterwards."""

import threading
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

from IPython.core.display_functions import display
from IPython.core.getipython import get_ipython

from vfnb.ground import StateError
from vfnb.notebook.still import Bundle, picture, still
from vfnb.planning import Estimate
from vfnb.session import Job

# IPython's functions are not typed.
_display: Callable[..., Any] = display
_shell: Callable[[], Any] = get_ipython

_NEEDED = ("ipywidgets", "anywidget", "plotly")
_VIEW = "application/vnd.jupyter.widget-view+json"
_LIVE: dict[Job, "Dashboard"] = {}  # a job has one panel, however often it is shown
_LOCK = threading.Lock()
_SETTLING = 10.0  # seconds at most that a cell's end waits for the last drawing


class Dashboard:
    """A job's panel, where it can be seen.

    Args:
        job: To be shown.

    Attributes:
        widget: The panel, to be put beside other widgets.
        thread: That paints it; it ends with the run.
    """

    def __init__(self, job: Job) -> None:
        from ipywidgets import HTML

        from vfnb.notebook.panel.dashboard import Panel

        self._job, self._panel = job, Panel(job, self._last)
        self.widget, self._lasting = self._panel.widget, HTML()
        self.thread = self._panel.painter.thread
        self._places: dict[str, Any] = {}  # the cells that show it: how each is brought up to date
        self._over = False
        self._lasts = threading.Event()
        self._panel.painter.start()

    def close(self) -> None:
        """Leave what is seen now in the panel's place; the run goes on, and showing the job again makes another."""
        self._panel.painter.stop()

    def _ipython_display_(self) -> None:
        cell = present_cell()
        if cell and cell in self._places:
            return  # a run's cell may end with its job
        if self._over:
            _display(still(self._job), raw=True)
            return
        if not self._places:
            _shell().events.register("post_run_cell", self._cell_ends)
        view = {_VIEW: {"version_major": 2, "version_minor": 0, "model_id": self.widget.model_id}}
        self._places[cell] = _display(still(self._job) | view, raw=True, display_id=True)

    def _last(self) -> None:
        """Put what lasts in the place of what lives: in the saved cells, and in pages that were opened anew."""
        with _LOCK:
            _LIVE.pop(self._job, None)
        self._over = True
        lasting = still(self._job)
        self._lasting.value = lasting["text/html"]
        self.widget.children = [self._lasting]
        self._replace(lasting)
        self._lasts.set()
        if drawn := picture(self._panel.figure, kaleido=find_spec("kaleido") is not None):
            self._replace(lasting | drawn)
        self._panel.close()

    def _cell_ends(self, *_: Any) -> None:
        """Let a cell in which the job ended end with what lasts: executed from the shell, it is saved right then."""
        if self._job.state in ("done", "stopped", "failed"):
            _shell().events.unregister("post_run_cell", self._cell_ends)
            self._lasts.wait(_SETTLING)

    def _replace(self, bundle: Bundle) -> None:
        for place in self._places.values():
            place.update(bundle, raw=True)


class Card:
    """A job as it is now, where nothing can move.

    Args:
        job: To be shown.
    """

    def __init__(self, job: Job) -> None:
        self._job = job

    def _ipython_display_(self) -> None:
        _display(still(self._job), raw=True)


def dashboard(job: Job) -> Dashboard | Card:
    """Make a job's face: a live panel where there are a kernel and widgets and the job has not ended.

    Args:
        job: To be shown.

    Returns:
        The same panel each time; or what stands still.
    """
    if job.state in ("done", "stopped", "failed") or not can_live():
        return Card(job)
    with _LOCK:
        if job not in _LIVE:
            _LIVE[job] = Dashboard(job)
        return _LIVE[job]


def show_chart(estimate: Estimate) -> None:
    """Show an estimate's chart under the present cell.

    Args:
        estimate: To be drawn.

    Raises:
        StateError: If there is no page to draw on.
    """
    if not can_live():
        raise StateError("a chart needs a notebook with plotly (pip install 'vfnb[notebook]'); leave out --chart")
    _display(estimate.chart())


def has_page() -> bool:
    """Tell whether what is displayed can be replaced later.

    Returns:
        False in a terminal or a script.
    """
    return hasattr(_shell(), "kernel")


def can_live() -> bool:
    """Tell whether there is a page that can show widgets.

    Returns:
        False in a terminal or a script, and where a library is missing.
    """
    return has_page() and all(find_spec(name) is not None for name in _NEEDED)


def present(bundle: Mapping[str, Any], *, display_id: bool = False) -> Any:
    """Put representations into the present cell's output.

    Args:
        bundle: By media type.
        display_id: Whether they will be replaced.

    Returns:
        What replaces them, where they will be.
    """
    return _display(bundle, raw=True, display_id=True) if display_id else _display(bundle, raw=True)


def variables() -> dict[str, Any]:
    """Give the user's variables.

    Returns:
        By name; the shell's own.
    """
    return getattr(_shell(), "user_ns", {})


def present_cell() -> str:
    """Name the cell that is being run.

    Returns:
        The name of the message that runs it; "" where there is none.
    """
    parent: dict[str, Any] = getattr(_shell(), "get_parent", dict)()
    return str(parent.get("header", {}).get("msg_id", ""))
