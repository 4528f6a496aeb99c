"""Traces are read from CSV and written to it; what cannot be is refused in one sentence."""

from pathlib import Path

import pytest

from vfnb.ground import SpecError
from vfnb.planning import Scaling
from vfnb.simulation import TraceJob, named_trace, parse_rates, read_csv, simulate, write_csv

HEAD = "job,arrival_s,demand,priority,duration_s,rates,deadline_s\n"


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "jobs.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    rates = Scaling((("p100", 8, 0.5), ("v100", 4, 1.0)), mixing=0.9)
    jobs = (
        TraceJob(name="plain", arrival_s=0.1, demand=3, duration_s=1 / 3),
        TraceJob(name="a, b", arrival_s=2.0, demand=8, duration_s=60.0, priority=2.5, rates=rates, deadline_s=100.0),
    )

    write_csv(jobs, tmp_path / "jobs.csv")

    assert read_csv(tmp_path / "jobs.csv").jobs == jobs


def test_a_published_trace_survives_being_written(tmp_path: Path) -> None:
    write_csv(named_trace("paper-20").jobs, tmp_path / "jobs.csv")

    assert read_csv(tmp_path / "jobs.csv").jobs == named_trace("paper-20").jobs


def test_jobs_come_in_the_order_of_arrival_and_other_columns_are_ignored(tmp_path: Path) -> None:
    path = written(tmp_path, "note,job,arrival_s,demand,priority,duration_s\nx,late,9,1,1,5\ny,early,1,1,1,5\n")

    assert [job.name for job in read_csv(path).jobs] == ["early", "late"]


def test_equal_priorities_go_by_arrival(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + "b,0,1,1,10,,\na,0,1,1,10,,\n")

    outcome = simulate(read_csv(path), "priority", devices=1)

    assert [(job.name, job.started_s) for job in outcome.jobs] == [("b", 0.0), ("a", 10.0)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("job,arrival_s,demand,duration_s\nJ0,0,1,10\n", "has no column priority"),
        ("", "has no column job, arrival_s"),
        (HEAD, "has no jobs"),
        (HEAD + "J0,-1,1,1,10,,\n", "J0: arrival_s=-1.0 is not possible"),
        (HEAD + "J0,0,1,1,-10,,\n", "J0: duration_s=-10.0 is not possible"),
        (HEAD + "J0,0,1,1,0,,\n", "J0: duration_s=0.0 is not possible"),
        (HEAD + "J0,nan,1,1,10,,\n", "J0: arrival_s=nan is not possible"),
        (HEAD + "J0,0,0,1,10,,\n", "J0: demand=0 is not possible"),
        (HEAD + "J0,0,1.5,1,10,,\n", "line 2: demand='1.5' is no whole number"),
        (HEAD + "J0,0,1,0,10,,\n", "J0: priority=0.0 is not possible"),
        (HEAD + "J0,soon,1,1,10,,\n", "line 2: arrival_s='soon' is no number"),
        (HEAD + "J0,0,1,1\n", "duration_s=None is no number"),
        (HEAD + "J0,0,1,1,10,fast,\n", "'fast' is no rate"),
        (HEAD + "J0,0,1,1,10,0:1,\n", "is not possible; give a count of 1 or more"),
        (HEAD + "J0,0,1,1,10,,\nJ0,1,1,1,10,,\n", "names 'J0' more than once"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        read_csv(written(tmp_path, text))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="cannot be read"):
        read_csv(tmp_path / "none.csv")


def test_a_demand_above_the_cluster_is_refused_with_both_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + "J0,0,8,1,10,,\n")

    with pytest.raises(SpecError, match="J0 demands 8 devices and the cluster has 4"):
        simulate(read_csv(path), "wfs", devices=4)


def test_a_function_for_rates_is_not_written(tmp_path: Path) -> None:
    job = TraceJob(name="J0", arrival_s=0.0, demand=1, duration_s=1.0, rates=lambda devices: float(len(devices)))

    with pytest.raises(SpecError, match="J0 has a function for rates"):
        write_csv([job], tmp_path / "jobs.csv")


def test_rates_lie_on_lines_between_their_points() -> None:
    rates = parse_rates("2:0.6 4:1 v100*1:0.5 mixing:0.9")

    on = [rates((("k80", count),)) for count in (1, 2, 3, 4, 8)]

    assert on == pytest.approx([0.3, 0.6, 0.8, 1.0, 1.0])
    assert rates((("v100", 1),)) == 0.5
    assert rates((("k80", 2), ("v100", 1))) == pytest.approx(0.9 * 1.1)
    assert rates(()) == 0.0
