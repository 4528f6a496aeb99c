"""`%vflow sweep` in an in-process shell, and the face that follows a sweep."""

from pathlib import Path
from typing import Any

import pytest
from IPython.core.error import UsageError
from pages import Page
from session_doubles import small_task
from sweep_doubles import PlayedEngine

import vfnb
from vfnb.notebook import showing, sweep_face, sweeping
from vfnb.notebook import sweep as face
from vfnb.session import Sweep

LONG = 30.0


def vflow(shell: Any, line: str) -> Any:
    return shell.run_line_magic("vflow", line)


def test_a_line_says_what_the_call_says(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    called: dict[str, Any] = {}
    monkeypatch.setattr("vfnb.session.sweep", lambda task, **given: called.update(given, task=task) or "begun")

    answer = vflow(
        shell,
        "sweep task --batches 32,4_096 --seeds 2 --grid lr=0.1,2e-1;rule=True,linear --steps 9 "
        "--target accuracy=0.8 --on cpu:0,cpu:1 --at-once 2 --name try",
    )

    assert answer == "begun"
    assert called == {
        "task": shell.user_ns["task"],
        "batches": [32, 4096],
        "seeds": [0, 1],
        "grid": {"lr": [0.1, 0.2], "rule": [True, "linear"]},
        "epochs": None,
        "steps": 9,
        "target": ("accuracy", 0.8),
        "devices": ["cpu:0", "cpu:1"],
        "at_once": 2,
        "name": "try",
        "options": None,
    }


def test_without_a_task_it_is_the_newest_sweep_and_stop_ends_it(shell: Any) -> None:
    with pytest.raises(UsageError, match="no sweep was begun here; try: %vflow sweep task --batches"):
        vflow(shell, "sweep")

    engine = PlayedEngine(holding=True)
    sweep = vfnb.sweep(small_task(), batches=[4, 8], seeds=[0], steps=3, engine=engine)
    engine.begun(1)
    shell.magics_manager.registry["FlowMagics"].flow.sweep = sweep

    assert vflow(shell, "sweep") is sweep
    assert sweep.running
    assert vflow(shell, "sweep --stop") is sweep
    sweep.wait(LONG)
    assert sweep.table.state.tolist() == ["stopped", "waiting"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("sweep task", "sweep needs --batches"),
        ("sweep nothing --batches 32", "nothing here is named 'nothing'"),
        ("sweep task --batches 32,x", "are no whole numbers; write such as 32,512,4096"),
        ("sweep task --batches 32 --target accuracy", "is no metric and value; write such as accuracy=0.8"),
        ("sweep task --batches 32 --grid lr", "names no values; write such as lr=0.1,0.2"),
        ("sweep task --batches 32 --grid lr=0.1", "task is one Task for all"),
        ("sweep task --batches 0", "batches has 0"),
    ],
)
def test_a_mistake_is_one_line(shell: Any, line: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        vflow(shell, line)

    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_seeds_are_so_many_or_these() -> None:
    assert sweeping.seeds("3") == [0, 1, 2]
    assert sweeping.seeds("3,4") == [3, 4]


# -- the face ------------------------------------------------------------------------------------------------


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Page:
    monkeypatch.chdir(tmp_path)
    made = Page()
    monkeypatch.setattr(showing, "_shell", lambda: made)
    monkeypatch.setattr(showing, "_display", made.display)
    monkeypatch.setattr(sweep_face, "_EVERY", 0.01)
    return made


def held() -> tuple[Sweep, PlayedEngine]:
    engine = PlayedEngine(holding=True)
    sweep = vfnb.sweep(small_task(), batches=[4], seeds=[0], steps=3, engine=engine)
    engine.begun(1)
    return sweep, engine


def test_each_cell_that_shows_a_sweep_follows_it_to_its_end(page: Page) -> None:
    sweep, engine = held()

    sweep._ipython_display_()
    sweep._ipython_display_()
    page.cell = "second"
    sweep._ipython_display_()
    assert len(page.places) == 2, "a cell shows it once"
    thread = face(sweep).thread
    engine.runs[0].commit(2)
    engine.runs[0].end()
    sweep.wait(LONG)
    thread.join(LONG)

    assert not thread.is_alive()
    for place in page.places:
        assert "1 running" in place.bundles[0]["text/html"]
        assert "1 done" in place.bundles[-1]["text/html"]
        assert "1 done" in place.bundles[-1]["text/plain"]


def test_a_sweep_that_is_over_shows_itself(page: Page) -> None:
    sweep, engine = held()
    engine.runs[0].end()
    sweep.wait(LONG)

    with pytest.raises(NotImplementedError):
        sweep._ipython_display_()
    assert page.places == []


def test_a_terminal_shows_it_as_it_is(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep, engine = held()
    monkeypatch.setattr(showing, "_shell", lambda: None)

    sweep._ipython_display_()

    assert "1 running" in page.places[0].bundles[0]["text/plain"]
    assert not face(sweep).thread.is_alive()
    engine.runs[0].end()
    sweep.wait(LONG)
