"""What travels by value to worker processes, and what they import themselves."""

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from vfnb.runtime.payload import ship, unship


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import a module that is written into a folder, and forget it again."""

    def imported(name: str, folder: Path) -> ModuleType:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.py").write_text("def answer():\n    return 42\n")
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.delitem(sys.modules, name, raising=False)
        return importlib.import_module(name)

    return imported


def shipped(value: Any, folder: Path) -> Any:
    folder.mkdir(exist_ok=True)
    return ship(value, folder)


def test_a_function_of_the_users_own_module_needs_no_import(
    tmp_path: Path, imported: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = shipped(imported("mine_by_value", tmp_path / "project").answer, tmp_path / "out")

    monkeypatch.delitem(sys.modules, "mine_by_value")
    (tmp_path / "project" / "mine_by_value.py").unlink()

    assert unship(path)() == 42


def test_a_module_that_is_loaded_after_others_were_shipped_goes_by_value_too(
    tmp_path: Path, imported: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped(imported("first_mine", tmp_path / "project").answer, tmp_path / "out")
    path = shipped(imported("second_mine", tmp_path / "project").answer, tmp_path / "later")

    monkeypatch.delitem(sys.modules, "second_mine")
    (tmp_path / "project" / "second_mine.py").unlink()

    assert unship(path)() == 42


def test_an_installed_function_is_imported_where_it_is_used(
    tmp_path: Path, imported: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = shipped(imported("installed_one", tmp_path / "site-packages").answer, tmp_path / "out")

    monkeypatch.delitem(sys.modules, "installed_one")
    (tmp_path / "site-packages" / "installed_one.py").unlink()

    with pytest.raises(ModuleNotFoundError):
        unship(path)
