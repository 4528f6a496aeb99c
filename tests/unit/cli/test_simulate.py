"""`vfnb simulate` prints a table or JSON, writes files, and says mistakes in one line."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from vfnb.cli import main


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_json_has_what_other_programs_need(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status = main(["simulate", "paper-3", "--policy", "wfs", "--devices", "4", "--json"])

    said = json.loads(capsys.readouterr().out)
    assert status == 0
    assert said["makespan_s"] == pytest.approx(4362, rel=0.03)
    assert set(said["jobs"]) == {"J0", "J1", "J2"}
    assert said["jobs"]["J1"]["completion_s"] == pytest.approx(2342, rel=0.05)
    assert said["jobs"]["J1"]["queueing_s"] == 0
    assert 0.9 < said["utilisation"] <= 1
    assert [each["devices"] for each in said["allocations"] if each["job"] == "J0"] == [4, 2, 1]
    assert list(tmp_path.iterdir()) == []


def test_a_table_is_printed_and_files_are_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    main(["simulate", "paper-3", "--policy", "priority"])

    folder = tmp_path / "vfnb-simulated" / "paper-3-priority"
    assert "paper-3 under priority" in capsys.readouterr().out
    assert list(pd.read_csv(folder / "jobs.csv")["job"]) == ["J0", "J1", "J2"]
    assert pd.read_csv(folder / "timeline.csv")["in_use"].max() == 4
    assert "<svg" in (folder / "report.html").read_text(encoding="utf-8")


def test_a_file_of_jobs_is_simulated_with_costs_of_the_callers(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "jobs.csv").write_text("job,arrival_s,demand,priority,duration_s\na,0,2,1,100\n", encoding="utf-8")

    main(["simulate", "jobs.csv", "--devices", "2", "--start", "10", "--json"])

    assert json.loads(capsys.readouterr().out)["makespan_s"] == 110


def test_names_from_a_file_are_text_in_the_report(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("job,arrival_s,demand,priority,duration_s\n<b>x,0,2,1,9\n", encoding="utf-8")

    main(["simulate", "jobs.csv", "--into", "out"])

    assert "<b>x" not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["paper-5"], "there is no trace 'paper-5'"),
        (["none.csv"], "none.csv cannot be read"),
        (["paper-3", "--policy", "wsf"], "there is no policy 'wsf'; did you mean wfs"),
        (["paper-3", "--devices", "2"], "J0 demands 4 devices and the cluster has 2"),
        (["paper-3", "--devices", "four"], "is no number of devices"),
        (["paper-3", "--devices", "0"], "0 devices of 'device' is not possible"),
        (["paper-3", "--devices", "v100=2,p100=2"], "shares devices of one kind"),
        (["paper-3", "--grow", "-1"], "grow_s=-1.0 is not possible"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    status = main(["simulate", *words])

    error = capsys.readouterr().err
    assert status == 2
    assert said in error
    assert error.count("\n") == 1


def test_simulating_loads_no_torch(tmp_path: Path) -> None:
    code = (
        "import sys; from vfnb.cli import main; main(['simulate', 'paper-20', '--json']); "
        "print(*{'torch', 'accelerate', 'IPython'} & set(sys.modules), file=sys.stderr)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stderr.split() == []
