"""A job's live panel: its widgets laid out, and one repaint of all of them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import ipywidgets as w

from vfnb.ground import Clock, SystemClock
from vfnb.notebook.panel import html
from vfnb.notebook.panel.axis import AXES
from vfnb.notebook.panel.figure import Plot
from vfnb.notebook.panel.mapper import Mapper
from vfnb.notebook.panel.orders import Orders
from vfnb.notebook.panel.painter import Painter
from vfnb.notebook.panel.parts import button, gap, row, text
from vfnb.notebook.panel.pictures import CopyButton
from vfnb.notebook.panel.resizer import Resizer
from vfnb.notebook.panel.scene import Notice, Scene, View, scene
from vfnb.notebook.panel.tail import Tail
from vfnb.notebook.panel.told import ENDED, Told, read
from vfnb.session import Job

_STYLE = (Path(__file__).parent / "panel.css").read_text(encoding="utf-8")
_NODES, _DEVICES, _OUTPUT, _KEEPING = range(4)
_FOLDS = ("Virtual nodes and mapping", "Devices", "Output of workers", "Checkpoints and fingerprint")


class Panel:
    """The widgets of one job. `paint` runs on one thread; callbacks only give orders.

    Args:
        job: To be shown.
        over: Called when there will be no more to paint.
        clock: Tells the time.

    Attributes:
        widget: The whole panel.
        painter: The thread that paints it.
    """

    def __init__(self, job: Job, over: Callable[[], None], clock: Clock | None = None) -> None:
        self._job, self._clock = job, SystemClock() if clock is None else clock
        self._view = View()
        self._stops = 0
        self.painter = Painter(self._repaint, over, name=f"vfnb panel {job.name}")
        # Two queues: what waits for a step's end must not hold up a stop.
        self._verbs, self._requests = Orders(self.painter.soon), Orders(self.painter.soon)
        self._plot, self._tail = Plot(), Tail(job.run_dir / "logs")
        self._resizer, self._mapper = Resizer(job, self._verbs), Mapper(job, self._verbs)
        self._state, self._facts, self._progress, self._notices = text(), text(), text(), text()
        self._pause = button("Pause", "Hold at the next step; again to go on", self._pause_or_resume)
        self._stop = button("Stop", "End at the next step, with a checkpoint", self._end)
        self._stop.add_class("vfnb-stop")
        self._log, self._print, self._copy = text(), text(), CopyButton(hint="Copy the fingerprint")
        self._digits = ""
        self._folds = self._folded()
        self.widget = self._laid_out()

    def paint(self) -> bool:
        """Bring everything up to date.

        Returns:
            Whether there will be more to paint.
        """
        told = read(self._job, self._clock.now())
        self._draw(told, scene(told, self._view))
        return not told.ended

    @property
    def figure(self) -> Any:
        """The plot, as plotly has it."""
        return self._plot.widget

    def close(self) -> None:
        """Take the widgets out of the kernel; the job goes on."""
        for orders in (self._verbs, self._requests):
            orders.close()
        self._plot.widget.close()

    def _repaint(self) -> bool:
        try:
            return self.paint()
        except Exception as error:  # noqa: BLE001  # a fault of the panel's own is no reason to stand still in silence
            fault = f"the panel could not be drawn, the run goes on: {type(error).__name__}: {error}"
            self._notices.value = html.notices([Notice(kind="error", text=fault)])
            return self._job.state not in ENDED

    def _draw(self, told: Told, drawn: Scene) -> None:
        self._state.value = html.state(told.state, drawn.head.state)
        self._facts.value = html.facts(drawn.head, told.workers)
        self._progress.value = html.progress(drawn.head)
        self._notices.value = html.notices((*drawn.notices, *self._verbs.answers, *self._requests.answers))
        self._pause.description = "Resume" if told.state == "paused" else "Pause"
        self._pause.disabled = told.ended or told.state == "new"
        self._stop.disabled = told.ended or told.state == "new"
        self._stop.description = "End now" if self._stops else "Stop"
        self._plot.draw(drawn, self._view)
        self._resizer.draw(told, drawn)
        match self._folds.selected_index:  # what is folded away costs nothing
            case 0:
                self._mapper.draw(told)
            case 2:
                self._log.value = html.log(self._tail.lines())
            case 3:
                self._print.value = html.fingerprint(self._digits, self._job.fingerprint_notes)
                self._copy.text = self._digits
            case _:
                pass

    def _laid_out(self) -> Any:
        axis = w.Dropdown(
            options=[("wall time" if axis == "time" else axis, axis) for axis in AXES],
            description="Over",
            tooltip="What stands on the horizontal axis",
            layout={"width": "170px"},
            style={"description_width": "initial"},
        )
        axis.observe(lambda change: self._look(axis=change["new"]), names="value")
        tools = row(axis, self._switch("log scale", "log"), self._switch("all curves", "all_curves"))
        head = row(text(html.name(self._job.name)), self._state, gap(), self._pause, self._stop)
        made = w.VBox(
            [
                text(f"<style>{_STYLE}</style>"),
                head,
                self._facts,
                self._progress,
                self._resizer.widget,
                tools,
                self._plot.widget,
                self._notices,
                self._folds,
            ]
        )
        made.add_class("vfnb-panel")
        return made

    def _folded(self) -> Any:
        save = button("Checkpoint now", "Write a checkpoint at the next step", self._save)
        reading = button("Read fingerprint", "Digest the weights after the step at hand", self._read_fingerprint)
        keeping = w.VBox([row(save, reading, self._copy), self._print])
        made = w.Accordion(
            [self._mapper.widget, self._resizer.picker, self._log, keeping], selected_index=None, titles=_FOLDS
        )
        made.observe(lambda _: self.painter.soon(), names="selected_index")
        return made

    def _switch(self, label: str, field: str) -> Any:
        made = w.Checkbox(description=label, indent=False, tooltip=label, layout={"width": "auto"})
        made.observe(lambda change: self._look(**{field: change["new"]}), names="value")
        return made

    def _look(self, **changes: Any) -> None:
        self._view = replace(self._view, **changes)
        self.painter.soon()

    def _pause_or_resume(self) -> None:
        paused = self._job.state == "paused"
        self._verbs.give("resume" if paused else "pause", self._job.resume if paused else self._job.pause)

    def _end(self) -> None:
        self._stops += 1
        self._verbs.give("stop", self._job.stop)

    def _save(self) -> None:
        self._requests.give("checkpoint", self._job.save)

    def _read_fingerprint(self) -> None:
        def ask() -> None:
            self._digits = self._job.fingerprint

        self._requests.give("fingerprint", ask)
