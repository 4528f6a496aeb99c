from pathlib import Path

import pytest

from vfnb.cli.task_file import task_named
from vfnb.ground import SpecError
from vfnb.session import Task

SCRIPT = """
from session_doubles import small_task
task = small_task()
number = 3
if __name__ == "__main__":
    raise AssertionError("imported, not run")
"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import sys

    monkeypatch.setattr(sys, "path", list(sys.path))
    path = tmp_path / "my_little_training.py"
    path.write_text(SCRIPT)
    monkeypatch.delitem(sys.modules, path.stem, raising=False)
    return path


def test_a_task_is_found_in_a_module() -> None:
    assert isinstance(task_named("session_doubles:small_task"), Task)


def test_a_task_is_found_in_a_script(script: Path) -> None:
    assert isinstance(task_named(f"{script}:task"), Task)


@pytest.mark.parametrize("text", ["", "task", ":task", "jobs:", "jobs:not a name"])
def test_what_names_nothing_is_refused(text: str) -> None:
    with pytest.raises(SpecError, match=r"names no task; give --task module:name or --task script\.py:name"):
        task_named(text)


def test_what_is_not_there_is_refused(script: Path) -> None:
    with pytest.raises(SpecError, match="there is no module 'no_such_module'"):
        task_named("no_such_module:task")
    with pytest.raises(SpecError, match="there is no script"):
        task_named("no_such_script.py:task")
    with pytest.raises(SpecError, match="has no 'tusk'"):
        task_named(f"{script}:tusk")


def test_what_is_no_task_is_refused(script: Path) -> None:
    with pytest.raises(SpecError, match=r"number in .* is a int; it must be a vfnb\.Task"):
        task_named(f"{script}:number")


def test_a_script_with_the_name_of_another_module_is_refused(tmp_path: Path, script: Path) -> None:
    (tmp_path / "json.py").write_text("task = 1")

    with pytest.raises(SpecError, match=r"json\.py has the name of another module"):
        task_named(f"{tmp_path / 'json.py'}:task")
