"""Generated traces follow the published generators and their seeds."""

import json
from pathlib import Path
from statistics import mean

import pytest

from vfnb.ground import SpecError
from vfnb.simulation import gavel_throughputs, gavel_trace, mixed_trace, poisson_trace, read_throughputs, simulate
from vfnb.simulation.generators import paper_choices
from vfnb.simulation.workloads import workloads


@pytest.mark.parametrize("draw", [poisson_trace, gavel_trace, mixed_trace])
def test_a_seed_gives_one_trace(draw) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    assert draw(10, jobs=12, seed=3) == draw(10, jobs=12, seed=3)
    assert draw(10, jobs=12, seed=3) != draw(10, jobs=12, seed=4)


def test_arrivals_have_the_rate_that_was_asked_for() -> None:
    jobs = poisson_trace(12, jobs=2000, seed=0).jobs

    assert jobs[-1].arrival_s / len(jobs) == pytest.approx(300, rel=0.1)
    assert {job.priority for job in jobs} == {1.0, 5.0, 10.0}
    assert all(job.arrival_s == int(job.arrival_s) for job in jobs)


def test_the_table_of_jobs_is_as_long_as_the_authors_say() -> None:
    minutes = [job.duration_s / 60 for job in poisson_trace(12, jobs=2000, seed=0).jobs]

    assert 3 <= min(minutes) <= max(minutes) <= 25
    assert mean(minutes) == pytest.approx(12, abs=3)
    assert len(paper_choices()) > 100


def test_resnet_scales_as_published() -> None:
    resnet = workloads()["ImageNet ResNet-50 b256"]

    measured = {1: 1248, 2: 2446, 4: 4660, 8: 8516}
    for devices, rate in measured.items():
        assert 8192 / resnet.step_s(8192, devices) == pytest.approx(rate, rel=0.07)


def test_no_job_demands_more_than_the_cluster_of_its_trace() -> None:
    assert max(job.demand for job in poisson_trace(12, jobs=200, devices=4).jobs) == 4


def test_gavels_generator_draws_sizes_and_lengths_as_published() -> None:
    jobs = gavel_trace(60, jobs=3000, seed=0).jobs

    shares = [sum(job.demand == demand for job in jobs) / len(jobs) for demand in (1, 2, 4, 8)]
    assert shares == pytest.approx([0.7, 0.1, 0.15, 0.05], abs=0.03)
    assert sum(job.duration_s < 60_000 for job in jobs) / len(jobs) == pytest.approx(0.8, abs=0.03)
    assert sum(job.priority == 5 for job in jobs) / len(jobs) == pytest.approx(0.2, abs=0.03)


def test_gavels_rates_are_one_on_the_demand_of_v100s() -> None:
    rates = gavel_throughputs().rates("ResNet-50 (batch size 64)", 4)

    assert rates((("v100", 4),)) == 1.0
    assert 0 < rates((("k80", 1),)) < rates((("k80", 4),)) < 1


def test_gavels_traces_run_under_its_policy() -> None:
    trace = gavel_trace(20, jobs=10, seed=1, devices={"k80": 8, "p100": 8, "v100": 8})

    outcome = simulate(trace, "gavel-max-min")

    assert len(outcome.jobs) == 10
    assert outcome.failures == ()


def test_gavels_files_are_read_with_their_pairs(tmp_path: Path) -> None:
    table = {"v100": {"('LM (batch size 5)', 1)": {"null": 109.5, "('A3C', 1)": [50.0, 3.0]}}}
    (tmp_path / "t.json").write_text(json.dumps(table), encoding="utf-8")

    read = read_throughputs(tmp_path / "t.json")

    assert read.alone == {("v100", ("LM (batch size 5)", 1)): 109.5}
    assert read.paired == {("v100", ("LM (batch size 5)", 1), ("A3C", 1)): 50.0}


@pytest.mark.parametrize("text", ["[]", "{", '{"v100": {"LM": {"null": 1}}}', '{"v100": {"(1, 2)": {"null": "x"}}}'])
def test_what_is_no_file_of_gavels_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.json").write_text(text, encoding="utf-8")

    with pytest.raises(SpecError, match="is no throughput file of Gavel's"):
        read_throughputs(tmp_path / "t.json")


def test_no_arrivals_are_refused() -> None:
    with pytest.raises(SpecError, match="20 jobs at 0 an hour is not possible"):
        poisson_trace(0)
    with pytest.raises(SpecError, match="is not in the table"):
        gavel_throughputs().rates("LM (batch size 7)", 1)
