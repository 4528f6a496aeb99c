"""The panel in a real JupyterLab: what is clicked there happens in the workers, whatever becomes of the page."""

from collections.abc import Callable
from statistics import median

import nbformat
import pytest
from browsing import Page

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

TASK = """
import time
from functools import partial
import torch, vfnb
from torch import nn

generator = torch.Generator().manual_seed(0)
data = torch.randn(256, 4, generator=generator)
train = torch.utils.data.TensorDataset(data, (data.sum(1) > 0).long())

def loss(model, batch):
    time.sleep(0.002)
    return nn.functional.cross_entropy(model(batch[0]), batch[1])

def job(name, steps=100_000, loss=loss):
    task = vfnb.Task(nn.Linear(4, 2), train, loss, partial(torch.optim.SGD, lr=0.01))
    target = vfnb.VirtualCluster.parse("16xV100", global_batch=64)
    return vfnb.Job(task, target, devices=["cpu:0", "cpu:1"], steps=steps, name=name)
"""
START = "one = job('one')\none.start()\none"


def begun(opened: Callable[..., Page], *more: str) -> Page:
    """Open a notebook in which a run trains and its curve is seen to grow."""
    page = opened(TASK, START, *more)
    page.run(0)
    page.run(1)
    grows(page)
    return page


def grows(page: Page, plot: int = 0) -> None:
    """Wait until a curve goes further to the right than now."""
    before = max(page.places("loss", plot), default=0)
    page.until(lambda: max(page.places("loss", plot), default=0) > before + 2, "the curve grows")


def test_one_click_resizes_while_the_curve_grows_on(opened: Callable[..., Page]) -> None:
    page = begun(opened)
    resizes = "[(len(e.before), len(e.after), e.downtime) for e in one.events if type(e).__name__ == 'Resized']"

    for turn in range(10):
        page.button("One more" if turn % 2 == 0 else "One fewer").click()
        page.until(lambda turn=turn: len(page.ask(resizes)) == turn + 1, "the resize is an event")
        page.until(lambda: page.button("One fewer").is_enabled(), "the panel has seen it")

    found = page.ask(resizes)
    assert [(before, after) for before, after, _ in found] == [(2, 3), (3, 2)] * 5
    assert median(downtime for *_, downtime in found) < 0.5
    assert max(downtime for *_, downtime in found) < 5
    page.until(lambda: "3 to 2 workers" in page.panel.inner_text(), "the downtime is shown")
    page.until(lambda: len(page.places("resized")) == 30, "each has its mark")
    grows(page)
    assert page.errors == []


def test_sliders_map_the_virtual_nodes_once_they_are_applied(opened: Callable[..., Page]) -> None:
    page = begun(opened)
    page.fold("Virtual nodes and mapping")
    sliders = page.panel.get_by_role("slider")
    page.until(lambda: sliders.count() == 2, "a slider a worker")
    page.until(lambda: page.panel.locator("canvas").get_attribute("data-nodes") == "16", "the picture is drawn")

    for _ in range(3):
        sliders.first.press("ArrowRight")
    page.until(lambda: "11 virtual nodes" in page.panel.inner_text(), "the first slider is moved")
    assert "5 virtual nodes" in page.panel.inner_text()
    assert page.ask("one.mapping.counts") == {0: 8, 1: 8}
    page.until(lambda: "a step as the sliders stand" in page.panel.inner_text(), "the step time is foretold")

    page.button("Apply").click()
    page.until(lambda: page.ask("one.mapping.counts") == {0: 11, 1: 5}, "it is applied")
    # What the workers compute, and not only what is said of it.
    nodes = set(page.ask("one.mapping.nodes_of(0)"))
    seen: set[int] = set()
    looks = "{one.activity[0].node for _ in range(100) if time.sleep(0.001) is None} - {-1}"
    page.until(lambda: len(seen.update(page.ask(looks)) or seen) >= 11, "the first worker computes eleven")
    assert seen == nodes
    grows(page)
    assert page.errors == []


def test_a_reloaded_page_goes_on_and_its_buttons_work(opened: Callable[..., Page]) -> None:
    page = begun(opened)
    page.button("Pause").click()
    page.until(lambda: page.status.startswith("paused at step"), "it pauses")
    still = page.ask("len(one.history)")
    assert "stands still" in page.panel.inner_text()
    page.button("Resume").click()
    page.until(lambda: page.ask("len(one.history)") > still, "it goes on")

    page.save()
    page.page.reload()
    page.ready()
    page.until(lambda: page.page.locator(".vfnb-panel").count() == 1, "the panel is back", within=60)
    grows(page)

    page.button("Stop").click()
    page.until(lambda: page.ask("one.state") == "stopped", "it stops")
    page.until(lambda: page.page.locator(".vfnb-panel img[alt^='loss over steps']").count() == 1, "it lasts")


def test_a_busy_cell_and_an_interrupt_disturb_nothing(opened: Callable[..., Page]) -> None:
    page = begun(opened, "time.sleep(600)")
    page.run(2, wait=False)
    page.until(lambda: "Busy" in page.page.locator("#jp-main-statusbar").inner_text(), "the cell runs")

    grows(page)
    page.do("notebook:interrupt-kernel")
    page.until(lambda: "KeyboardInterrupt" in page.page.content(), "the cell is interrupted")

    grows(page)
    assert page.ask("one.state") == "running"
    assert page.ask("[type(e).__name__ for e in one.events if 'Lost' in type(e).__name__]") == []


def test_two_jobs_are_shown_side_by_side_and_a_users_error_in_its_own_panel(opened: Callable[..., Page]) -> None:
    failing = """
import os

def late(model, batch):
    if os.path.exists("ran-out"):
        raise ValueError("the labels ran out")
    return loss(model, batch)

two = job("two", loss=late)
two.start()
two
"""
    page = begun(opened, failing)
    page.run(2)
    page.until(lambda: page.page.locator(".vfnb-panel").count() == 2, "both have a panel")
    grows(page, plot=1)
    grows(page)

    (page.path.parent / "ran-out").touch()
    page.until(lambda: page.ask("two.state") == "failed", "the second fails")

    page.until(lambda: "the labels ran out" in page.page.content(), "its error is shown")
    grows(page)
    assert page.ask("one.state") == "running"
    assert "the labels ran out" not in page.panel.inner_text()


def test_a_saved_notebook_shows_the_curve_without_its_kernel(opened: Callable[..., Page]) -> None:
    page = opened(TASK, "one = job('one', steps=40)\none.start()\none", "one.wait(60)")
    for cell in range(3):
        page.run(cell)
    curve = page.page.locator("img[alt^='loss over steps']")
    page.until(lambda: curve.count() == 1, "what lasts is in the place of the panel")

    saved = page.save()
    assert page.path.stat().st_size < 200_000
    assert "widgets" not in saved.metadata
    page.page.evaluate("() => window.jupyterapp.serviceManager.sessions.shutdownAll()")
    # What comes from elsewhere is not trusted, and is shown without scripts and inline drawings.
    saved.cells.append(nbformat.v4.new_markdown_cell("a line that nobody signed"))
    nbformat.write(saved, page.path)
    page.page.reload()
    page.until(lambda: "nobody signed" in page.page.content(), "the file is read anew", within=60)
    page.until(lambda: curve.count() == 1 and curve.evaluate("one => one.naturalWidth") > 0, "its curve is shown")
    assert "Error displaying widget" not in page.page.content()


def test_the_panel_is_readable_in_the_dark(opened: Callable[..., Page]) -> None:
    page = begun(opened)
    page.page.evaluate("() => window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
    page.until(lambda: page.page.evaluate("() => document.body.dataset.jpThemeLight") == "false", "it is dark")

    light = page.page.evaluate(
        """() => {
          const bright = colour => colour.match(/\\d+/g).slice(0, 3).reduce((sum, one) => sum + Number(one), 0) / 3;
          const style = query => getComputedStyle(document.querySelector(query));
          return {text: bright(style(".vfnb-name").color), state: bright(style(".vfnb-state").color),
                  page: bright(style(".jp-Notebook").backgroundColor),
                  plot: style(".js-plotly-plot .main-svg").background};
        }"""
    )

    assert min(light["text"], light["state"]) > light["page"] + 100
    assert "rgba(0, 0, 0, 0)" in light["plot"]


def test_a_panel_whose_kernel_was_restarted_says_so_and_offers_nothing(opened: Callable[..., Page]) -> None:
    page = begun(opened)

    page.restart_kernel()
    page.ready()

    page.until(lambda: "jupyter-widgets-disconnected" in (page.panel.get_attribute("class") or ""), "the kernel went")
    said = page.panel.evaluate("panel => getComputedStyle(panel, '::before').content")
    assert "The kernel is gone" in said
    assert not page.panel.get_by_text("training", exact=True).is_visible()
    assert page.panel.evaluate("panel => getComputedStyle(panel.children[1], '::before').content") == "none"
    assert page.button("Stop").evaluate("button => getComputedStyle(button).pointerEvents") == "none"
