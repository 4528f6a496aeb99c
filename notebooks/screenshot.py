"""Take docs/figures/dashboard.png: the quickstart's panel in a real JupyterLab, while the run goes on."""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from browsing import Page, browser_path, lab_server  # noqa: E402

WINDOW = {"width": 1280, "height": 1400}
BEGIN, RESIZE = (1, 2), 4  # the quickstart's cells
MOST = 150_000  # bytes


def main() -> None:
    """Run the quickstart up to its third resize, and keep what the panel shows then.

    Raises:
        SystemExit: If the picture is too large for the repository.
    """
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as home, lab_server(Path(home)) as (url, folder), sync_playwright() as playwright:
        path = folder / "quickstart" / "test.ipynb"
        path.parent.mkdir()
        shutil.copy(ROOT / "notebooks" / "01_quickstart.ipynb", path)
        browser = playwright.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        page = Page(browser.new_page(viewport=WINDOW), path)
        page.page.goto(url.replace("FOLDER", "quickstart"))
        page.ready()
        _take(page, ROOT / "docs" / "figures" / "dashboard.png")
        page.end_kernel()
        browser.close()


def _take(page: Page, target: Path) -> None:
    for cell in BEGIN:
        page.run(cell)
    page.until(page.panel.is_visible, "the panel is there")
    page.fold("Virtual nodes and mapping")
    page.run(RESIZE, wait=False)
    page.until(lambda: len(_resizes(page)) == 9, "three resizes have their marks")  # a line is three points
    at = max(_resizes(page)[-3:][:2])
    page.until(lambda: max(page.places("loss"), default=0) > at + 15, "the curve goes on")
    page.panel.scroll_into_view_if_needed()
    page.panel.screenshot(path=target)
    if target.stat().st_size > MOST:
        raise SystemExit(f"{target} has {target.stat().st_size} bytes, more than {MOST}; fold less out")


def _resizes(page: Page) -> list[Any]:
    return page.places("resized")


if __name__ == "__main__":
    main()
