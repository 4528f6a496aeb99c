"""The notebooks as they lie in the repository: read on a page without a kernel, and small."""

import re
import tomllib
from pathlib import Path

import nbformat
import pytest
from source import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LARGEST = 200_000
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_did_and_carries_no_widgets(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]

    assert outputs, "run notebooks/execute.py with --keep"
    assert not [output for output in outputs if output.output_type == "error"]
    assert not [output for output in outputs if any("widget" in kind for kind in output.get("data", {}))]
    assert not [output for output in outputs if "<svg" in str(output.get("data", {}))], "JupyterLab strips it"
    assert "widgets" not in notebook.metadata
    assert path.stat().st_size < LARGEST


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_in_its_live_form_and_waits_for_its_runs(path: Path) -> None:
    sources = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)

    assert "FULL = True" not in sources
    assert "job.wait(" in sources


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_readme_names_each_notebook(path: Path) -> None:
    assert f"notebooks/{path.name}" in README


def test_badges_stand_in_the_readme_once_the_projects_address_is_known() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    repository = project.get("urls", {}).get("Repository", "")
    wanted = [f"mybinder.org/v2/gh/{repository.removeprefix('https://github.com/')}" for _ in NOTEBOOKS if repository]

    assert README.count("mybinder.org/v2/gh/") == len(wanted)
    assert all(badge in README for badge in wanted)
    assert not re.search(r"OWNER|YOUR|example\.(com|org)|TODO", README)
