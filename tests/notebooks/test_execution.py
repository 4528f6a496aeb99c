"""The first notebooks run from the shell, as `make demo` runs them."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from source import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("0[01]_*.ipynb"))


def executed(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "notebooks" / "execute.py", *arguments]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def written(path: Path, *sources: str) -> Path:
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


@pytest.mark.timeout(300)
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_to_its_end(notebook: Path, tmp_path: Path) -> None:
    done = executed(notebook, "--into", tmp_path)

    assert done.returncode == 0, done.stderr


def test_there_is_a_quickstart() -> None:
    assert ROOT / "notebooks" / "01_quickstart.ipynb" in NOTEBOOKS


def test_the_last_table_is_printed_and_the_executed_copy_is_named(tmp_path: Path) -> None:
    table = "import pandas; pandas.DataFrame({'answer': [6 * 7]})"
    notebook = written(tmp_path / "small.ipynb", table, "1 + 1")

    done = executed(notebook, "--into", tmp_path / "out", "--table")

    assert done.returncode == 0, done.stderr
    assert "answer" in done.stdout
    assert "42" in done.stdout
    assert str(tmp_path / "out" / "small.executed.ipynb") in done.stdout


def test_a_failing_cell_is_a_failing_command_and_its_notebook_is_kept(tmp_path: Path) -> None:
    notebook = written(tmp_path / "broken.ipynb", "1 / 0")

    done = executed(notebook, "--into", tmp_path)

    assert done.returncode != 0
    assert "ZeroDivisionError" in (tmp_path / "broken.executed.ipynb").read_text(encoding="utf-8")
