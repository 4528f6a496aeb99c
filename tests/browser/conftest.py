"""One JupyterLab and one browser for all tests; a notebook, a kernel and a page for each."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Page, browser_path, lab_server, write_notebook

WINDOW = {"width": 1280, "height": 800}


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Serve a folder."""
    with lab_server(tmp_path_factory.mktemp("lab")) as served:
        yield served


@pytest.fixture(scope="session")
def chrome() -> Iterator[Any]:
    """Start the browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@pytest.fixture
def opened(
    lab: tuple[str, Path], chrome: Any, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """Give what opens a notebook of some cells; a picture is kept where the test fails."""
    url, folder = lab
    pages: list[Page] = []

    def open_(*cells: str) -> Page:
        # A folder a test: its runs lie beside its notebook.
        path = folder / tmp_path.name / "test.ipynb"
        path.parent.mkdir()
        write_notebook(path, *cells)
        page = Page(chrome.new_page(viewport=WINDOW), path)
        pages.append(page)
        page.page.goto(url.replace("FOLDER", tmp_path.name))
        page.ready()
        return page

    yield open_
    for page in pages:
        page.page.screenshot(path=tmp_path / "last.png")
        page.end_kernel()
        page.page.close()
