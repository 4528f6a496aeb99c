import json
import os
from pathlib import Path

import pytest

from vfnb.ground import SpecError
from vfnb.session.record import EVENTS, RUN, Heading, Record, create
from vfnb.spec import Paused, from_json


def head() -> Heading:
    return Heading(
        name="base",
        started=5.0,
        cluster="8 x V100",
        steps=9,
        devices=("cpu:0",),
        identity={"seed": 3},
        resumed=None,
    )


def test_a_directory_says_what_the_run_is(tmp_path: Path) -> None:
    create(tmp_path / "runs" / "base", head())

    written = json.loads((tmp_path / "runs" / "base" / RUN).read_text())

    assert written["version"] == 1
    assert written["name"] == "base"
    assert written["identity"] == {"seed": 3}
    assert written["pid"] == os.getpid()
    assert [path.name for path in (tmp_path / "runs" / "base").iterdir()] == [RUN]


def test_a_directory_that_is_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"Job\.load"):
        create(tmp_path, head())


def test_events_are_on_disk_as_soon_as_they_are_appended(tmp_path: Path) -> None:
    record = create(tmp_path / "base", head())

    assert record.append(Paused(step=3, at=7.0)) is None

    (line,) = (tmp_path / "base" / EVENTS).read_text().splitlines()
    assert from_json(line) == Paused(step=3)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this machine has no /dev/full")
def test_a_full_disk_is_told_of_once(tmp_path: Path) -> None:
    (tmp_path / EVENTS).symlink_to("/dev/full")
    record = Record(tmp_path)

    problem = record.append(Paused(step=3))

    assert problem is not None
    assert "can no longer be written" in problem
    assert "job.events has them all" in problem
    assert record.append(Paused(step=4)) is None
