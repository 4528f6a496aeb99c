"""What a notebook shows for a pool; here there is no page, so that nothing moves."""

from collections.abc import Iterator
from typing import Any

import pytest
from IPython.utils.capture import capture_output
from session_doubles import FakeEngine, small_job

from vfnb.notebook import sharing
from vfnb.session import Pool


@pytest.fixture
def pool(shell: Any) -> Iterator[Pool]:
    made = Pool(2)
    yield made
    made.close()
    made.wait(timeout=30)


def test_without_a_page_a_pool_is_a_line_and_a_picture(pool: Pool) -> None:
    shown = pool.dashboard()

    assert isinstance(shown, sharing.PoolCard)
    assert sharing.still(pool)["text/plain"] == "<Pool 'wfs': 0 of 2 cpu devices in use, no jobs yet>"
    with capture_output() as said:
        shown._ipython_display_()
    assert [set(output.data) for output in said.outputs] == [{"text/plain", "text/html"}]


def test_with_a_page_it_lives_until_it_is_closed_and_what_lasts_takes_its_place(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "can_live", lambda: True)
    shown = pool.dashboard()
    assert pool.dashboard() is shown
    with capture_output() as said:
        shown._ipython_display_()
    (output,) = said.outputs
    assert {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"} == set(output.data)
    kept: list[dict[str, Any]] = []
    shown._places = [type("Place", (), {"update": lambda _, bundle, raw: kept.append(bundle)})()]

    pool.close()
    shown._panel.painter.thread.join(30)

    assert set(kept[-1]) == {"text/plain", "text/html"}
    assert isinstance(pool.dashboard(), sharing.PoolCard)


def test_jobs_that_could_be_submitted_are_named_by_their_variables(shell: Any, pool: Pool) -> None:
    shell.user_ns["mine"], shell.user_ns["taken"] = (small_job(FakeEngine(), name=name) for name in ("one", "two"))
    pool.submit(shell.user_ns["taken"])

    assert list(sharing.waiting()) == ["mine"]
