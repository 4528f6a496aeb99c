"""What README.md shows works as it stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from source import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
(CELL,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
COMMANDS = re.findall(r"```sh\n(.*?)\n```", README, flags=re.DOTALL)
LINKS = [link for link in re.findall(r"\]\(([^)#]+)", README) if "://" not in link]


def test_the_cell_has_six_lines() -> None:
    assert len(CELL.splitlines()) == 6


def test_the_cell_runs_and_prints_a_fingerprint(tmp_path: Path) -> None:
    environ = os.environ | {"PYTHONPATH": str(ROOT)}

    done = subprocess.run(
        [sys.executable, "-c", CELL], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert re.search(r"^[0-9a-f]{64}$", done.stdout, flags=re.MULTILINE)


def test_there_are_exactly_two_commands() -> None:
    assert COMMANDS == ["make demo", "make test"]


@pytest.mark.parametrize("link", LINKS)
def test_a_link_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()
