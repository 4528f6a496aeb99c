"""The cells of the guide work as they stand there, one page after the first page's first cell."""

import re
from pathlib import Path

import pytest
from shells import shell_with_vfnb
from source import ROOT

from vfnb.notebook.verbs import VERBS

GUIDE = ROOT / "docs" / "guide"
PAGES = sorted(GUIDE.glob("*.md"))


def cells(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


SETUP = cells(GUIDE / "start.md")[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_pages_cells_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with shell_with_vfnb() as shell:
        for cell in (SETUP, *cells(page)):
            shell.run_cell(cell).raise_error()


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_is_in_the_guide(name: str) -> None:
    assert any(re.search(rf"Verbs on this page:.*`{name}`", page.read_text(encoding="utf-8")) for page in PAGES)


def test_a_flag_of_run_is_in_the_guide() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)

    assert [flag for flag in VERBS["run"].flags if flag not in text] == []
