"""A panel in a test's hands: what it shows of a job, and what its buttons ask of it."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from session_doubles import FakeEngine, started

from vfnb.notebook.panel.dashboard import Panel
from vfnb.runtime import Sign
from vfnb.spec import VirtualCluster


class Shown:
    """A job of four virtual nodes on two workers, its panel, and the widgets in it."""

    def __init__(self) -> None:
        self.engine = FakeEngine()
        self.job = started(self.engine, cluster=VirtualCluster(accelerator="", count=8, global_batch=16))
        self.panel = Panel(self.job, lambda: None)
        self.panel.paint()

    @property
    def run(self) -> Any:
        return self.engine.run

    @property
    def text(self) -> str:
        return " ".join(str(getattr(one, "value", "")) for one in everything(self.panel.widget))

    def named(self, name: str) -> Any:
        (found,) = (one for one in everything(self.panel.widget) if getattr(one, "description", "") == name)
        return found

    def click(self, name: str) -> None:
        """Click a button, and wait until what it asks for is done."""
        self.named(name).click()
        for orders in (self.panel._verbs, self.panel._requests):
            done = threading.Event()
            orders.give("wait", done.set)
            assert done.wait(10)
        self.panel.paint()

    def open(self, fold: int) -> None:
        self.panel._folds.selected_index = fold
        self.panel.paint()


def everything(widget: Any) -> Iterator[Any]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from everything(child)


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shown:
    monkeypatch.chdir(tmp_path)
    return Shown()


def curve(shown: Shown, name: str) -> list[float]:
    (trace,) = (one for one in shown.panel._plot.widget.data if one.meta == name)
    return [] if trace.x is None else list(trace.x)


def test_the_curve_grows_with_the_job(shown: Shown) -> None:
    shown.run.commit(3)
    shown.panel.paint()

    assert curve(shown, "loss") == [1, 2, 3]
    assert "step 3 of 6" in shown.text


def test_a_repaint_of_the_same_sends_no_curve(shown: Shown) -> None:
    shown.run.commit(3)
    shown.panel.paint()
    sent: list[Any] = []
    shown.panel._plot.widget._send_update_msg = lambda *given, **_: sent.append(given)

    shown.panel.paint()
    assert sent == []
    shown.run.commit()
    shown.panel.paint()
    assert sent != []


def test_the_axis_is_switched_and_all_curves_are_shown(shown: Shown) -> None:
    shown.run.commit(3)
    shown.named("Over").value = "samples"
    shown.named("all curves").value = True
    shown.named("log scale").value = True
    shown.panel.paint()

    assert curve(shown, "loss") == [8, 16, 24]
    assert curve(shown, "lr") == [8, 16, 24]
    layout = shown.panel._plot.widget.layout
    assert (layout.yaxis.type, layout.xaxis.title.text, layout.yaxis3.visible) == ("log", "samples", True)


def test_pausing_resuming_and_stopping_twice_reach_the_run(shown: Shown) -> None:
    shown.click("Pause")
    assert "paused at step 0" in shown.text
    shown.click("Resume")
    shown.click("Stop")

    assert shown.run.asked == ["pause", "resume", "stop"]
    assert "stopped" in shown.text
    assert shown.named("End now").disabled
    assert not shown.panel.paint()


def test_a_suspended_job_is_given_a_device_by_a_click(shown: Shown) -> None:
    shown.job.resize(0)
    shown.panel.paint()
    assert "suspended at step 0, without devices" in shown.text
    assert shown.named("One fewer").disabled

    shown.click("One more")

    assert len(shown.job.workers) == 1


@pytest.mark.parametrize(("name", "workers"), [("One more", 3), ("One fewer", 1), ("Double", 4), ("Half", 1)])
def test_a_click_resizes(name: str, workers: int, shown: Shown) -> None:
    shown.click(name)

    assert len(shown.job.workers) == workers


def test_the_last_worker_cannot_be_taken_nor_more_be_given_than_there_are_blocks(shown: Shown) -> None:
    shown.click("Half")
    assert shown.named("One fewer").disabled
    assert shown.named("Half").disabled
    for _ in range(3):
        shown.click("Double")

    assert len(shown.job.workers) == 8
    assert shown.named("One more").disabled
    assert shown.named("Double").disabled


def test_chosen_devices_are_gone_on_with(shown: Shown) -> None:
    shown.named("Devices").value = ("cpu:0",)
    shown.click("Use these")

    assert [str(worker.device) for worker in shown.job.workers] == ["cpu:0"]


def test_no_device_chosen_is_said_in_the_panel(shown: Shown) -> None:
    shown.click("Use these")

    assert "names no device" in shown.text
    assert len(shown.job.workers) == 2


def test_sliders_move_together_and_only_apply_maps(shown: Shown) -> None:
    shown.open(0)
    first, second = shown.named("w0 cpu:0"), shown.named("w1 cpu:1")
    assert (first.value, second.value, shown.named("Apply").disabled) == (4, 4, True)

    first.value = 6
    assert (second.value, shown.named("Apply").disabled) == (2, False)
    assert shown.job.mapping.counts == {0: 4, 1: 4}

    shown.click("Apply")
    assert shown.job.mapping.counts == {0: 6, 1: 2}
    assert shown.named("Apply").disabled
    shown.named("Even").click()
    assert (shown.named("w0 cpu:0").value, shown.named("w1 cpu:1").value) == (4, 4)


def test_solve_maps_by_the_measured_speeds_or_says_what_is_missing(
    shown: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shown.open(0)
    shown.click("Solve")
    assert "the speed of cpu:0 (worker 0) and cpu:1 (worker 1) is not known" in shown.text

    shown.run.signs = {0: sign(0.01), 1: sign(0.03)}
    shown.click("Solve")

    assert shown.job.mapping.counts == {0: 6, 1: 2}
    assert (shown.named("w0 cpu:0").value, shown.named("Apply").disabled) == (6, True)


def test_a_repaint_leaves_moved_sliders_alone_and_a_new_mapping_puts_them_right(shown: Shown) -> None:
    shown.open(0)
    shown.named("w0 cpu:0").value = 6
    shown.panel.paint()
    assert shown.named("w0 cpu:0").value == 6

    shown.job.resize(1)
    shown.panel.paint()
    assert shown.named("w0 cpu:0").disabled


def test_the_step_time_is_foretold_beside_the_sliders(shown: Shown) -> None:
    shown.run.signs = {0: sign(0.01), 1: sign(0.03)}
    shown.run.commit(3)
    shown.open(0)
    assert "0.10 s a step now" in shown.text

    shown.named("w0 cpu:0").value = 6

    assert "about 60 ms a step as the sliders stand" in shown.text or "about 0.04" in shown.text


def test_a_checkpoint_and_the_fingerprint_are_asked_for_by_a_click(shown: Shown) -> None:
    shown.open(3)
    shown.click("Checkpoint now")
    assert shown.run.asked == ["save"]
    shown.click("Read fingerprint")

    assert shown.job.fingerprint in shown.text
    assert shown.panel._copy.text == shown.job.fingerprint


def test_workers_output_is_shown_behind_their_names(shown: Shown) -> None:
    logs = shown.job.run_dir / "logs"
    logs.mkdir()
    (logs / "w1.log").write_text("hello\n")
    shown.open(2)

    assert "[w1] hello" in shown.text


def test_a_fault_of_the_panels_own_is_said_and_painting_goes_on(shown: Shown) -> None:
    shown.panel._plot.draw = lambda *_: 1 / 0

    assert shown.panel._repaint()
    assert "could not be drawn" in shown.text


def test_every_control_has_a_name_and_says_what_it_does(shown: Shown) -> None:
    shown.open(0)
    controls = [one for one in everything(shown.panel.widget) if hasattr(one, "description") and one.tooltip != ""]
    controls = [one for one in controls if type(one).__name__ != "HTML"]

    assert len(controls) > 15
    assert all(one.description and one.tooltip for one in controls)


def sign(usual: float) -> Sign:
    return Sign(beats=1, phase="compute", step=1, node=0, slowest=usual, usual=usual)
