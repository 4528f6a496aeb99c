"""How a notebook shows a job: live where there is a page, standing still elsewhere."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pages import Page
from session_doubles import FakeEngine, started

from vfnb.notebook import showing
from vfnb.notebook.showing import Card, Dashboard, dashboard


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    monkeypatch.chdir(tmp_path)
    return FakeEngine()


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    made = Page()
    monkeypatch.setattr(showing, "_shell", lambda: made)
    monkeypatch.setattr(showing, "_display", made.display)
    return made


def live(face: Dashboard | Card) -> Dashboard:
    assert isinstance(face, Dashboard)
    return face


def test_a_job_has_one_panel_and_each_cell_shows_it_once(page: Page, engine: FakeEngine) -> None:
    job = started(engine)
    face = live(dashboard(job))

    face._ipython_display_()
    job._ipython_display_()
    page.cell = "second"
    job._ipython_display_()

    assert dashboard(job) is face
    assert [place.bundles[0][showing._VIEW]["model_id"] for place in page.places] == [face.widget.model_id] * 2
    face.close()
    face.thread.join(10)


def test_at_the_end_every_cell_keeps_what_lasts(page: Page, engine: FakeEngine) -> None:
    job = started(engine)
    face = live(job.dashboard())
    face._ipython_display_()
    engine.run.commit(3)

    page.events.cell_ends()  # one that trains on holds up no cell
    engine.run.end()
    page.events.cell_ends()

    last = page.places[0].bundles[-1]
    assert showing._VIEW not in last
    assert "<img" in last["text/html"]
    assert "done" in last["text/plain"]
    assert [child.value for child in face.widget.children] == [last["text/html"]]
    assert isinstance(dashboard(job), Card)
    assert page.events.calls == []
    face.thread.join(10)
    page.cell = "later"
    face._ipython_display_()
    assert showing._VIEW not in page.places[-1].bundles[0]


def test_closing_leaves_the_run_alone_and_another_panel_can_be_made(page: Page, engine: FakeEngine) -> None:
    job = started(engine)
    face = live(dashboard(job))

    face.close()
    face.thread.join(10)

    assert job.state == "running"
    another = live(dashboard(job))
    assert another is not face
    another.close()


@pytest.mark.parametrize("shell", [lambda: None, object])
def test_without_a_page_a_job_stands_still(
    shell: Callable[[], Any], engine: FakeEngine, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(showing, "_shell", shell)
    job = started(engine)

    job._ipython_display_()

    assert list(page.places[0].bundles[0]) == ["text/plain", "text/html"]


def test_without_a_library_a_job_stands_still(page: Page, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(showing, "_NEEDED", ("ipywidgets", "no_such_library"))

    assert isinstance(dashboard(started(engine)), Card)


def test_a_job_that_was_not_started_is_shown_by_its_table(page: Page, engine: FakeEngine) -> None:
    from session_doubles import small_job

    with pytest.raises(NotImplementedError):
        small_job(engine)._ipython_display_()
