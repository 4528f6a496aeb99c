"""A shell for each test, in a folder of its own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from shells import shell_with_vfnb, small_task


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Give a shell with the extension and a task."""
    monkeypatch.chdir(tmp_path)
    with shell_with_vfnb() as shell:
        shell.user_ns["task"] = small_task()
        yield shell
