"""Take docs/figures/dashboard.png: the quickstart's panel in a real JupyterLab, while the run goes on."""

import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from browsing import Page, browser_path, lab_server  # noqa: E402

WINDOW = {"width": 1280, "height": 1400}
BEGIN = (1, 2)  # the quickstart's cells up to the panel
CLICKS = (("One fewer", 25), ("One more", 50))  # each at a step
LAST = 80
MOST = 150_000  # bytes


def main() -> None:
    """Begin the quickstart, click its devices away and back, and keep what the panel shows then.

    Raises:
        SystemExit: If the picture is too large for the repository.
    """
    from playwright.sync_api import sync_playwright

    with (
        tempfile.TemporaryDirectory() as home,
        lab_server(Path(home)) as (url, folder),
        sync_playwright() as playwright,
    ):
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
    page.panel.get_by_label("log scale").check()
    for button, step in CLICKS:
        _reaches(page, step)
        page.button(button).click()
    page.until(lambda: len(page.places("resized")) == 3 * len(CLICKS), "each resize has its mark, a line of three")
    _reaches(page, LAST)
    page.panel.scroll_into_view_if_needed()
    page.panel.screenshot(path=target)
    if target.stat().st_size > MOST:
        raise SystemExit(f"{target} has {target.stat().st_size} bytes, more than {MOST}; fold less out")


def _reaches(page: Page, step: int) -> None:
    page.until(lambda: max(page.places("loss"), default=0) >= step, f"the curve reaches step {step}", within=120)


if __name__ == "__main__":
    main()
