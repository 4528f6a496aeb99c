"""Growing and shrinking by a click: one more, one fewer, double, half, or these devices."""

from collections.abc import Callable
from typing import Any

import ipywidgets as w

from vfnb.notebook.panel import html, words
from vfnb.notebook.panel.orders import Orders
from vfnb.notebook.panel.parts import button, row, text
from vfnb.notebook.panel.scene import Scene
from vfnb.notebook.panel.told import Told
from vfnb.runtime import devices
from vfnb.session import Handle, Job

_ROWS = 8
_RESIZABLE = ("starting", "running", "paused", "resizing", "recovering")


class Resizer:
    """The row of resize buttons, and the picker of devices.

    Args:
        job: To be resized.
        orders: Where a click goes.

    Attributes:
        widget: The buttons.
        picker: The choice of devices.
    """

    def __init__(self, job: Job, orders: Orders) -> None:
        self._job, self._orders = job, orders
        self._aim = 0
        self._more = self._button("One more", "Go on with one more worker", lambda count: count + 1)
        self._fewer = self._button("One fewer", "Go on with one worker fewer", lambda count: count - 1)
        self._double = self._button("Double", "Go on with twice as many workers", lambda count: 2 * count)
        self._half = self._button("Half", "Go on with half as many workers", lambda count: count // 2)
        self._said = text()
        self.widget = row(text(html.said("Workers")), self._fewer, self._more, self._half, self._double, self._said)
        self.widget.add_class("vfnb-resizer")
        names = [str(device) for device in devices()]
        self._names = w.SelectMultiple(
            options=names, rows=min(_ROWS, max(3, len(names))), description="Devices", tooltip="Devices to go on with"
        )
        use = button("Use these", "Go on with the chosen devices", self._use)
        self.picker = w.VBox([self._names, row(use, text(html.said("Ctrl or Shift picks several; one worker each")))])

    def draw(self, told: Told, scene: Scene) -> None:
        """Bring the buttons up to date.

        Args:
            told: By the job.
            scene: What is drawn of it.
        """
        count = len(told.workers)
        able = told.state in _RESIZABLE and count > 0
        most = told.mapping.layout.most_workers if told.mapping is not None else 0
        self._fewer.disabled = self._half.disabled = not (able and count > 1)
        suspended = told.state == "paused" and count == 0
        self._more.disabled = not (suspended or (able and count < most))
        self._double.disabled = not (able and 2 * count <= most)
        under_way = told.state == "resizing" or self._orders.busy
        self._said.value = html.said("resizing, the run goes on" if under_way else scene.head.resized)

    def _button(self, label: str, tooltip: str, change: Callable[[int], int]) -> Any:
        return button(label, tooltip, lambda: self._orders.give(label.lower(), lambda: self._resize(change)))

    def _resize(self, change: Callable[[int], int]) -> Handle:
        # Two quick clicks mean two workers: the second counts from where the first is going.
        self._aim = change(self._aim if self._orders.busy and self._aim else len(self._job.workers))
        return self._job.resize(self._aim)

    def _use(self) -> None:
        names = list(self._names.value)
        self._aim = len(names)
        self._orders.give(f"go on with {words.count(len(names), 'device')}", lambda: self._job.resize(names))
