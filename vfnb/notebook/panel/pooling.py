"""A pool's live panel: who had how many devices over time, a slider a job, submit and cancel."""

from collections.abc import Callable, Mapping
from html import escape
from math import ceil
from pathlib import Path
from typing import Any

import ipywidgets as w

from vfnb.figures import colour, draw_stack
from vfnb.notebook.panel import html
from vfnb.notebook.panel.orders import Orders
from vfnb.notebook.panel.painter import Painter
from vfnb.notebook.panel.parts import button, gap, row, text
from vfnb.notebook.panel.scene import Notice
from vfnb.session import Job, Pool, PoolJob

_STYLE = (Path(__file__).parent / "panel.css").read_text(encoding="utf-8")
_MOST = 10.0  # of a slider, unless a priority is above


class JobRow:
    """A job's line: its colour, how it stands, a slider for its priority, and a button that takes it out.

    Args:
        pool: Where it is.
        job: How it stands.
        orders: Where a click goes.

    Attributes:
        widget: The line.
    """

    def __init__(self, pool: Pool, job: PoolJob, orders: Orders) -> None:
        self._pool, self._name, self._orders = pool, job.name, orders
        self._said = text()
        self._told = job.priority
        self._slider = w.FloatSlider(
            value=job.priority,
            min=min(0.5, job.priority),
            max=max(_MOST, float(ceil(job.priority))),
            step=0.5,
            description="priority",
            tooltip=f"How urgent {job.name} is; more gives it more devices",
            continuous_update=False,
            readout_format=".3g",
            layout={"width": "320px"},
            style={"description_width": "60px"},
        )
        self._slider.observe(lambda change: self._weigh(change["new"]), names="value")
        self._cancel = button("Cancel", f"Take {job.name} out; it stops at its next step", self._take_out)
        self._cancel.add_class("vfnb-stop")
        self.widget = row(self._said, gap(), self._slider, self._cancel)

    def draw(self, job: PoolJob, place: int | None) -> None:
        """Bring the line up to date.

        Args:
            job: How it stands.
            place: In the order of first devices; None before them.
        """
        self._said.value = _line(job, place)
        self._slider.disabled = self._cancel.disabled = job.ended
        if job.priority != self._told:  # changed elsewhere: the slider follows, and asks for nothing
            self._told = job.priority
            self._slider.max = max(self._slider.max, float(ceil(job.priority)))
            self._slider.min = min(self._slider.min, job.priority)
            self._slider.value = job.priority

    def _weigh(self, priority: float) -> None:
        if priority != self._told:
            self._told = priority
            self._orders.give(f"priority of {self._name}", lambda: self._pool.priority(self._name, priority))

    def _take_out(self) -> None:
        self._orders.give(f"cancel {self._name}", lambda: self._pool.cancel(self._name))


class PoolPanel:
    """The widgets of one pool. `paint` runs on one thread; callbacks only give orders.

    Args:
        pool: To be shown.
        waiting: Gives the jobs that could be submitted, by what the user calls them.
        rested: Called each time that all its jobs have ended.
        over: Called when there will be no more to paint.

    Attributes:
        widget: The whole panel.
        painter: The thread that paints it.
    """

    def __init__(
        self,
        pool: Pool,
        waiting: Callable[[], Mapping[str, Job]],
        rested: Callable[[], None],
        over: Callable[[], None],
    ) -> None:
        self._pool, self._waiting, self._rested = pool, waiting, rested
        self.painter = Painter(self._repaint, over, name="vfnb pool panel")
        self._orders = Orders(self.painter.soon)
        self._head, self._chart, self._notices = text(), text(), text()
        self._rows: dict[str, JobRow] = {}
        self._lines = w.VBox([])
        self._which = w.Dropdown(
            options=[], description="Job", tooltip="A job that is not started", layout={"width": "260px"}
        )
        self._priority = w.BoundedFloatText(
            value=5.0,
            min=0.01,
            max=1e6,
            description="priority",
            tooltip="More is more urgent",
            layout={"width": "150px"},
        )
        self._submit = button("Submit", "Let the job into the pool", self._let_in)
        self._drawn: tuple[Any, ...] = ()
        self._busy = False
        self.widget = w.VBox(
            [
                text(f"<style>{_STYLE}</style>"),
                row(text(html.name(f"Pool of {len(pool.devices)} {pool.devices[0].kind} devices")), self._head),
                self._chart,
                self._lines,
                row(self._which, self._priority, self._submit),
                self._notices,
            ]
        )
        self.widget.add_class("vfnb-panel")

    def paint(self) -> bool:
        """Bring everything up to date.

        Returns:
            Whether there will be more to paint: until the pool is closed and its jobs have ended.
        """
        jobs, busy = self._pool.jobs, self._pool.busy
        self._draw_jobs(jobs)
        self._draw_chart(busy=busy)
        self._offer()
        used = sum(len(job.devices) for job in jobs)
        self._head.value = html.said(f"policy {self._pool.policy.name} · {used} of {len(self._pool.devices)} in use")
        self._notices.value = html.notices((*_failures(jobs), *self._orders.answers))
        if self._busy and not busy:
            self._rested()
        self._busy = busy
        return busy or not self._pool.closed

    def close(self) -> None:
        """Take the widgets' thread out of the kernel; the jobs go on."""
        self._orders.close()

    def _repaint(self) -> bool:
        try:
            return self.paint()
        except Exception as error:  # noqa: BLE001  # a fault of the panel's own is no reason to stand still in silence
            fault = f"the panel could not be drawn, the jobs go on: {type(error).__name__}: {error}"
            self._notices.value = html.notices([Notice(kind="error", text=fault)])
            return self._pool.busy

    def _draw_jobs(self, jobs: tuple[PoolJob, ...]) -> None:
        new = [job for job in jobs if job.name not in self._rows]
        for job in new:
            self._rows[job.name] = JobRow(self._pool, job, self._orders)
        gone = set(self._rows) - {job.name for job in jobs}
        for name in gone:
            del self._rows[name]
        if new or gone:
            self._lines.children = [one.widget for one in self._rows.values()]
        places = {name: place for place, name in enumerate(dict.fromkeys(job for _, job, _ in self._pool.changes))}
        for job in jobs:
            self._rows[job.name].draw(job, places.get(job.name))

    def _draw_chart(self, *, busy: bool) -> None:
        changes = self._pool.changes
        if not changes:
            return
        until = float(ceil(self._pool.seconds)) if busy else changes[-1][0]
        if (len(changes), until) != self._drawn:  # once a second at most, but for a change
            self._drawn = (len(changes), until)
            self._chart.value = draw_stack(changes, len(self._pool.devices), until)

    def _offer(self) -> None:
        """Offer the jobs that are not started; a choice stays while it can."""
        names = tuple(self._waiting())
        if names != self._which.options:
            chosen = self._which.value
            self._which.options = names
            self._which.value = chosen if chosen in names else next(iter(names), None)
        self._which.disabled = self._submit.disabled = not names or self._pool.closed

    def _let_in(self) -> None:
        name, priority = self._which.value, self._priority.value

        def act() -> None:
            self._pool.submit(self._waiting()[name], priority=priority)

        self._orders.give(f"submit {name}", act)


def _line(job: PoolJob, place: int | None) -> str:
    mark = "transparent" if place is None else colour(place)
    where = f"on {', '.join(job.devices)}" if job.devices else f"waited {job.waited:.0f} s"
    return (
        f'<span class="vfnb-legend"><span><i style="background:{mark}"></i><b>{escape(job.name)}</b></span>'
        f"{html.state(job.state, job.state)}<span>{escape(where)}</span></span>"
    )


def _failures(jobs: tuple[PoolJob, ...]) -> list[Notice]:
    return [Notice(kind="error", text=f"{job.name}: {job.error}") for job in jobs if job.error]
