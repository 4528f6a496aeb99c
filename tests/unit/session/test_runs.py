import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from vfnb.session.record import EVENTS, RUN, STEPS, Heading
from vfnb.session.runs import runs
from vfnb.spec import Finished, Paused, Row, to_json


def leave(folder: Path, events: list[Any] = [], steps: int = 0, **fields: Any) -> None:  # noqa: B006  # only read
    folder.mkdir(parents=True)
    given = {"name": folder.name, "started": 5.0, "cluster": "8 x V100", "steps": 9, "devices": ("cpu:0",)}
    head = Heading(**(given | {"identity": {}, "resumed": None} | fields))  # type: ignore[arg-type]  # as in a file
    (folder / RUN).write_text(json.dumps({"version": 1, **asdict(head)}))
    (folder / EVENTS).write_text("".join(to_json(event) + "\n" for event in events))
    rows = [
        Row(step=step, epoch=0, loss=0.5, lr=0.1, samples=8, samples_per_second=1.0, workers=1)
        for step in range(1, steps + 1)
    ]
    (folder / STEPS).write_text("".join(to_json(row) + "\n" for row in rows))


def states(folder: Path) -> dict[str, str]:
    table = runs(folder)
    return dict(zip(table["name"], table["state"], strict=True))


def test_no_runs_are_an_empty_table(tmp_path: Path) -> None:
    table = runs(tmp_path / "nowhere")

    assert list(table.columns) == ["name", "state", "step", "steps", "cluster", "started", "path"]
    assert len(table) == 0


def test_a_run_is_a_row(tmp_path: Path) -> None:
    leave(tmp_path / "base", [Finished(step=9)], steps=9)

    (row,) = runs(tmp_path).to_dict("records")

    assert row["name"] == "base"
    assert row["state"] == "done"
    assert row["step"] == row["steps"] == 9
    assert row["cluster"] == "8 x V100"
    assert row["started"].year == 1970
    assert row["path"] == str(tmp_path / "base")


def test_the_newest_run_comes_first(tmp_path: Path) -> None:
    for name, started in {"old": 1.0, "new": 3.0, "middle": 2.0}.items():
        leave(tmp_path / name, started=started)

    assert list(runs(tmp_path)["name"]) == ["new", "middle", "old"]


def test_a_run_without_an_end_is_running_while_its_process_is_there(tmp_path: Path) -> None:
    leave(tmp_path / "runs")
    leave(tmp_path / "stands", [Paused(step=1)])
    leave(tmp_path / "gone", pid=2**22 + 1)
    leave(tmp_path / "another", pid=os.getpid(), born=-1.0)
    leave(tmp_path / "elsewhere", pid=2**22 + 1, host="another-machine")

    assert states(tmp_path) == {
        "runs": "running",
        "stands": "paused",
        "gone": "crashed",
        "another": "crashed",
        "elsewhere": "running",
    }


def test_the_newest_step_is_found_at_the_end_of_a_long_file(tmp_path: Path) -> None:
    leave(tmp_path / "long", steps=2000)

    assert runs(tmp_path)["step"][0] == 2000


@pytest.mark.parametrize("text", ["", "[]", '{"version": 1}'])
def test_a_run_that_cannot_be_read_hides_no_other(tmp_path: Path, text: str) -> None:
    leave(tmp_path / "whole")
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / RUN).write_text(text)
    (tmp_path / "no run").mkdir()

    assert states(tmp_path) == {"whole": "running", "torn": "unreadable"}
