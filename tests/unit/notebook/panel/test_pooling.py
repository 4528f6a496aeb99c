"""A pool's panel in a test's hands: what it shows, and what its slider and buttons ask for."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jobs import until
from session_doubles import FakeEngine, small_job

from vfnb.notebook.panel.pooling import PoolPanel
from vfnb.session import Job, Pool


class Shown:
    """A pool of four slots and its panel."""

    def __init__(self) -> None:
        self.pool = Pool(4)
        self.rests = 0
        self.new: dict[str, Job] = {}
        self.panel = PoolPanel(self.pool, lambda: self.new, self._rest, lambda: None)
        self.panel.paint()

    def _rest(self) -> None:
        self.rests += 1

    @property
    def text(self) -> str:
        return " ".join(str(getattr(one, "value", "")) for one in everything(self.panel.widget))

    def all_named(self, name: str) -> list[Any]:
        return [one for one in everything(self.panel.widget) if getattr(one, "description", "") == name]

    def settle(self) -> None:
        """Wait until what was asked for is done."""
        done = threading.Event()
        self.panel._orders.give("wait", done.set)
        assert done.wait(10)
        self.panel.paint()

    def submit(self, name: str) -> FakeEngine:
        engine = FakeEngine()
        self.pool.submit(small_job(engine, name=name, devices=4))
        until(lambda: self.pool.jobs[-1].state == "running")
        self.panel.paint()
        return engine


def everything(widget: Any) -> Iterator[Any]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from everything(child)


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shown]:
    monkeypatch.chdir(tmp_path)
    made = Shown()
    yield made
    made.pool.close()
    made.pool.wait(timeout=30)


def test_who_has_what_is_said_and_drawn(shown: Shown) -> None:
    shown.submit("a & b")

    assert "policy wfs · 4 of 4 in use" in shown.text
    assert "a &amp; b" in shown.text
    assert "on cpu:0, cpu:1, cpu:2, cpu:3" in shown.text
    assert "devices of a &amp; b over time" in shown.text


def test_a_slider_weighs_a_job_and_follows_what_is_weighed_elsewhere(shown: Shown) -> None:
    shown.submit("a")
    (slider, _) = shown.all_named("priority")

    slider.value = 8.0
    shown.settle()
    assert shown.pool.jobs[0].priority == 8.0

    shown.pool.priority("a", 40.0)
    shown.panel.paint()
    shown.settle()
    assert (slider.value, slider.max, shown.pool.jobs[0].priority) == (40.0, 40.0, 40.0)


def test_a_job_is_cancelled_by_its_button(shown: Shown) -> None:
    engine = shown.submit("a")
    (cancel,) = shown.all_named("Cancel")

    cancel.click()
    shown.settle()
    shown.pool.wait(timeout=30)
    shown.panel.paint()

    assert engine.run.asked == ["stop"]
    assert cancel.disabled
    assert shown.rests == 1


def test_a_job_that_is_not_started_is_submitted_by_a_click(shown: Shown) -> None:
    (submit,) = shown.all_named("Submit")
    assert submit.disabled
    shown.new["mine"] = small_job(FakeEngine(), name="mine", devices=4)
    shown.panel.paint()
    assert not submit.disabled

    submit.click()
    shown.settle()

    assert [job.name for job in shown.pool.jobs] == ["mine"]
    assert "mine" in shown.text


def test_what_cannot_be_submitted_is_said_in_the_panel(shown: Shown) -> None:
    shown.new["big"] = small_job(FakeEngine(), name="big", devices=["cpu:0/4"])
    shown.panel.paint()

    shown.all_named("Submit")[0].click()
    shown.settle()

    assert "the pool has cpu; make the job with devices like cpu:0" in shown.text


def test_the_panel_lives_until_the_pool_is_closed(shown: Shown) -> None:
    assert shown.panel.paint()
    shown.pool.close()
    assert not shown.panel.paint()
