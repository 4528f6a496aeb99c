from pathlib import Path
from typing import Any

import pytest

from vfnb.ground import SpecError
from vfnb.session.place import place_of


def test_a_run_lies_below_the_runs_folder_under_its_name(tmp_path: Path) -> None:
    assert place_of("base", None) == ("base", tmp_path / "vfnb-runs" / "base")


def test_a_run_without_a_name_gets_one(tmp_path: Path) -> None:
    name, folder = place_of(None, None)

    assert folder == tmp_path / "vfnb-runs" / name


def test_a_directory_gives_its_name(tmp_path: Path) -> None:
    assert place_of(None, "some/where") == ("where", tmp_path / "some" / "where")
    assert place_of("mine", "some/where")[0] == "mine"


@pytest.mark.parametrize("name", ["", "a/b", ".", "..", ".hidden"])
def test_refuses_a_name_that_cannot_be_a_directorys(name: Any) -> None:
    with pytest.raises(SpecError, match="cannot name a run's directory"):
        place_of(name, None)


def test_a_run_that_is_there_is_an_error_that_names_the_way_on(tmp_path: Path) -> None:
    (tmp_path / "vfnb-runs" / "base").mkdir(parents=True)

    with pytest.raises(SpecError, match=r"there is a run in .*base already; vfnb\.Job\.load\('.*base', task\)"):
        place_of("base", None)
