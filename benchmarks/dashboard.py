"""What watching costs: the dashboard in a real JupyterLab, with 100,000 steps of history and 32,768 virtual nodes.

Needs Chromium and two cores. Server, kernel and browser are pinned to the second core, a worker to the first.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from figures import Figure

SUPPORT = Path(__file__).resolve().parent.parent / "tests" / "support"
sys.path.insert(0, str(SUPPORT))

from browsing import Page, browser_path, lab_server, write_notebook  # noqa: E402  # the tests' own JupyterLab

_PAIRS, _WINDOW = 8, 4.0  # windows of seconds with the panel and without

_MADE_UP = f"""
import sys, threading, time
sys.path.insert(0, {str(SUPPORT)!r})
from session_doubles import FakeEngine, started
engine = FakeEngine()
job = started(engine, steps=1_000_000, devices=1)
engine.run.commit(100_000, at=time.time())
at, took, going = {{}}, [], threading.Event()
def feed():
    while not going.wait(0.005):
        at[engine.run.step + 1] = time.time()
        engine.run.commit(1, at=time.time())
panel = job.dashboard()._panel
paint = panel.paint
def timed():
    begun = time.thread_time()
    more = paint()
    took.append(1000 * (time.thread_time() - begun))
    return more
panel.paint = timed
threading.Thread(target=feed, daemon=True).start()
job
"""
_SEEN = """() => {
  window.seen = [];
  const plot = document.querySelector(".js-plotly-plot");
  plot.on("plotly_afterplot", () => {
    const x = plot.data.find(one => one.meta === "smooth").x;
    window.seen.push([Date.now() / 1000, x[x.length - 1]]);
  });
}"""
_TRAINING = """
import os, threading, time
from functools import partial
import torch, vfnb
from torch import nn
data = torch.randn(4096, 64)
train = torch.utils.data.TensorDataset(data, (data.sum(1) > 0).long())
model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 2))
task = vfnb.Task(model, train, nn.CrossEntropyLoss(), partial(torch.optim.SGD, lr=0.01))
target = vfnb.VirtualCluster.parse("64xV100", global_batch=2048)
job = vfnb.Job(task, target, devices=["cpu:0"], steps=1_000_000)
job.start()
while len(job.history) < 20: time.sleep(0.1)
os.sched_setaffinity(job.workers[0].pid, {0})
def window(seconds):
    before, begun = len(job.history), time.monotonic()
    time.sleep(seconds)
    return (len(job.history) - before) / (time.monotonic() - begun)
"""
_MANY = """
import torch, vfnb
from functools import partial
train = torch.utils.data.TensorDataset(torch.randn(32768, 2), torch.zeros(32768, dtype=torch.long))
task = vfnb.Task(torch.nn.Linear(2, 2), train, torch.nn.CrossEntropyLoss(), partial(torch.optim.SGD, lr=0.01))
target = vfnb.VirtualCluster.parse("32768xTPUv3", global_batch=32768)
job = vfnb.Job(task, target, devices=["cpu:0", "cpu:1"], steps=1000)
job.start()
job
"""


def figures() -> Iterator[Figure]:
    """Measure, with a page of its own for each."""
    everyone, other = os.sched_getaffinity(0), {max(os.sched_getaffinity(0))}
    os.sched_setaffinity(0, other)  # what is started from here inherits it
    try:
        with _opened(_MADE_UP) as page:
            yield from _at_many_steps(page)
        with _opened(_MANY) as page:
            yield _many_nodes(page)
        with _opened(_TRAINING) as page:
            yield _open_against_closed(page)
    finally:
        os.sched_setaffinity(0, everyone)


@contextmanager
def _opened(cell: str) -> Iterator[Page]:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as home, lab_server(Path(home)) as (url, folder), sync_playwright() as tools:
        path = folder / "run" / "test.ipynb"
        path.parent.mkdir()
        write_notebook(path, cell, "job.dashboard()")
        browser = tools.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        page = Page(browser.new_page(viewport={"width": 1280, "height": 800}), path)
        page.page.goto(url.replace("FOLDER", "run"))
        page.ready()
        page.run(0)
        yield page
        browser.close()


def _at_many_steps(page: Page) -> Iterator[Figure]:
    page.until(lambda: page.places("smooth"), "the plot is drawn")
    page.panel.get_by_label("all curves").check()
    page.page.wait_for_timeout(2000)
    page.page.evaluate(_SEEN)
    page.page.wait_for_timeout(15_000)
    seen: dict[int, float] = {}
    for when, step in page.page.evaluate("() => window.seen"):
        seen.setdefault(int(step), when)
    at: dict[int, float] = page.ask("at")
    lags = sorted(when - at[step] for step, when in seen.items() if step in at)
    speed = page.ask("len(at) / (max(at.values()) - min(at.values()))")
    yield _figure("event to drawing, 100,000 steps", lags, "s", 0.5, f"{speed:.0f} steps a second, {len(lags)} draws")
    yield _figure("kernel time of a repaint, all curves", sorted(page.ask("took"))[:-3], "ms", 20, "thread time")


def _many_nodes(page: Page) -> Figure:
    page.until(lambda: page.panel.count() == 1, "the panel is there")
    page.fold("Virtual nodes and mapping")
    canvas = page.panel.locator("canvas")
    page.until(lambda: canvas.get_attribute("data-nodes") == "32768", "they are drawn", within=60)
    taken = []
    for _ in range(20):
        taken.append(float(canvas.get_attribute("data-milliseconds")) / 1000)
        page.page.wait_for_timeout(250)
    return _figure("32,768 virtual nodes drawn", sorted(taken), "s", 1.0, "canvas")


def _open_against_closed(page: Page) -> Figure:
    ratios: list[float] = []
    for _ in range(_PAIRS):
        page.run(1)
        page.until(lambda: page.places("loss"), "it paints")
        page.page.wait_for_timeout(1000)
        with_panel = page.ask(f"window({_WINDOW})")
        page.ask("job.dashboard().close()")
        page.page.wait_for_timeout(1000)
        ratios.append(with_panel / page.ask(f"window({_WINDOW})"))
    return Figure(
        what="throughput with the dashboard open against closed",
        value=median(ratios),
        low=min(ratios),
        high=max(ratios),
        unit="x",
        bound=0.97,
        note=f"one 1-thread worker, {_PAIRS} pairs of {_WINDOW:.0f} s",
    )


def _figure(what: str, values: list[float], unit: str, bound: float, note: str) -> Figure:
    found: dict[str, Any] = {"value": median(values), "low": values[0], "high": values[-1]}
    return Figure(what=what, unit=unit, bound=bound, sense="at most", note=note, **found)


if __name__ == "__main__":
    from figures import lines

    print(*lines(list(figures())), sep="\n")
