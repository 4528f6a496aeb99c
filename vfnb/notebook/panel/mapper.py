"""The picture of virtual nodes, and a slider a worker to move them: with `Apply`, or by speed with `Solve`."""

import ipywidgets as w

from vfnb.notebook.panel import html, words
from vfnb.notebook.panel.forecast import forecast
from vfnb.notebook.panel.orders import Orders
from vfnb.notebook.panel.parts import button, row, text
from vfnb.notebook.panel.pictures import NodePicture
from vfnb.notebook.panel.sliders import Blocks, blocks_of, counts, coupled, evened, nodes
from vfnb.notebook.panel.told import Told, step_seconds
from vfnb.session import Job
from vfnb.spec import Mapping


class Mapper:
    """The picture and its sliders.

    Args:
        job: To be mapped.
        orders: Where a click goes.

    Attributes:
        widget: All of it.
    """

    def __init__(self, job: Job, orders: Orders) -> None:
        self._job, self._orders = job, orders
        self._told: Told | None = None
        self._mapping: Mapping | None = None
        self._blocks: Blocks = ()
        self._moving = False
        self._picture, self._legend = NodePicture(), text()
        self._sliders = w.VBox([])
        self._counts: list[w.HTML] = []
        self._apply = button("Apply", "Map the virtual nodes as the sliders stand", self._map, style="primary")
        self._even = button(
            "Even", "Give every worker as many virtual nodes", lambda: self._stand(evened(self._blocks))
        )
        self._solve = button(
            "Solve",
            "Map the virtual nodes so that a step is fastest by the speeds measured so far",
            lambda: self._orders.give("solve", lambda: self._job.map("solve")),
        )
        self._forecast = text()
        buttons = row(self._apply, self._even, self._solve, self._forecast)
        self.widget = w.VBox([self._legend, self._picture, self._sliders, buttons])

    def draw(self, told: Told) -> None:
        """Bring it up to date; sliders that were moved stay, until the mapping is another.

        Args:
            told: By the job.
        """
        self._told = told
        self._picture.draw(told.mapping, told.activity)
        self._legend.value = html.legend(told.workers)
        if told.mapping != self._mapping:
            self._mapping = told.mapping
            self._lay_out(told)
        self._say()

    def _lay_out(self, told: Told) -> None:
        mapping = told.mapping
        self._blocks = () if mapping is None else blocks_of(mapping)
        most = sum(self._blocks) - len(self._blocks) + 1
        devices = {worker.id: worker.device for worker in told.workers}
        rows, self._counts = [], []
        for place, worker in enumerate(() if mapping is None else mapping.workers):
            slider = w.IntSlider(
                value=self._blocks[place],
                min=1,
                max=max(most, 2),
                readout=False,
                disabled=most == 1 or len(self._blocks) == 1,
                description=f"w{worker} {devices.get(worker, '')}",
                tooltip=f"virtual nodes of worker {worker}, in blocks",
                layout={"width": "420px"},
                style={"description_width": "90px"},
            )
            slider.observe(lambda change, place=place: self._moved(place, change["new"]), names="value")
            self._counts.append(text())
            rows.append(row(slider, self._counts[-1]))
        self._sliders.children = rows

    def _moved(self, place: int, wanted: int) -> None:
        if not self._moving:
            self._stand(coupled(self._blocks, place, wanted))

    def _stand(self, blocks: Blocks) -> None:
        """Put every slider where it belongs, without each of them moving the others again."""
        self._moving = True
        try:
            self._blocks = blocks
            for one, count in zip(self._sliders.children, blocks, strict=False):
                one.children[0].value = count
        finally:
            self._moving = False
        self._say()

    def _say(self) -> None:
        told, mapping = self._told, self._mapping
        if told is None or mapping is None:
            self._forecast.value = ""
            self._apply.disabled = self._even.disabled = self._solve.disabled = True
            return
        shares = nodes(mapping.layout, self._blocks)
        for shown, share in zip(self._counts, shares, strict=False):
            shown.value = html.said(words.count(share, "virtual node"))
        same = self._blocks == blocks_of(mapping)
        self._apply.disabled, self._even.disabled = same or told.ended, len(self._blocks) < 2
        self._solve.disabled = told.ended or len(self._blocks) < 2
        self._forecast.value = html.said(self._foretold(told, mapping, same=same))

    def _foretold(self, told: Told, mapping: Mapping, *, same: bool) -> str:
        now = step_seconds(told)
        measured = "" if now is None else f"{words.seconds(now)} a step now"
        if same:
            return measured
        passes = {worker: sign.usual for worker, sign in told.activity.items()}
        after = counts(mapping.layout, mapping.workers, self._blocks)
        then = forecast(mapping.counts, after, passes, now, told.nodes_per_pass)
        if then is None:
            return f"{measured}; no pass is measured yet"
        return f"about {words.seconds(then)} a step as the sliders stand, {measured}"

    def _map(self) -> None:
        mapping, blocks = self._mapping, self._blocks
        if mapping is not None:
            wanted = counts(mapping.layout, mapping.workers, blocks)
            self._orders.give("map", lambda: self._job.map(wanted))
