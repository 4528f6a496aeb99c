"""Estimates against published figures: nothing here needs a device. `benchmarks/validation.py` prints the same."""

import math
from statistics import median

import pytest

from benchmarks import validation
from vfnb.spec import VirtualCluster

LAMB = list(validation.lamb())
MLPERF = list(validation.mlperf())
KNOWN_HARD = 4216  # A100s of MLPerf v2.0, 22 % slower than two smaller systems say: reported, not tuned to


@pytest.mark.parametrize(("chips", "truth", "span"), LAMB, ids=[f"{chips} chips" for chips, _, _ in LAMB])
def test_lambs_weak_scaling_is_within_20_percent_of_one_point(chips: int, truth: float, span: validation.Range) -> None:
    assert span.mid == pytest.approx(truth, rel=0.20)
    assert span.low <= truth <= span.high
    assert span.high / span.low <= 1.5


def test_without_summing_and_waiting_lambs_largest_row_would_be_missed() -> None:
    _, truth, span = LAMB[-1]

    assert LAMB[0][1] < 0.8 * truth
    assert span.mid > 1.05 * LAMB[0][1]


@pytest.mark.parametrize(("cluster", "truth", "span"), MLPERF, ids=[str(cluster) for cluster, _, _ in MLPERF])
def test_mlperfs_resnet_is_within_10_percent_of_two_points(
    cluster: VirtualCluster, truth: float, span: validation.Range
) -> None:
    tolerance = 0.25 if cluster.count == KNOWN_HARD else 0.10
    assert span.mid == pytest.approx(truth, rel=tolerance)


def test_the_largest_batches_that_were_run_fit_and_half_again_do_not() -> None:
    verdicts = list(validation.largest_batches())

    right = sum(at in {"fits", "tight"} and over == "does not fit" for *_, at, over in verdicts)
    assert right >= 0.9 * len(verdicts)
    assert len(verdicts) >= 19


@pytest.mark.parametrize("tables", ["all", "without MLPerf's"])
def test_the_true_step_lies_in_the_range_for_8_in_10(tables: str) -> None:
    verdicts = [
        one
        for one in validation.uncalibrated()
        if tables == "all" or not one.point.source.startswith("MLPerf training")
    ]
    said = validation.summary(tables, verdicts)

    widths = [one.width for one in verdicts]
    assert sum(one.inside for one in verdicts) >= 0.8 * len(verdicts), said
    assert median(widths) <= 2.6, said
    assert max(widths) <= 4, said


def test_one_measured_step_narrows_the_range_and_keeps_the_truth_in_it() -> None:
    verdicts = validation.calibrated()
    said = validation.summary("one step measured", verdicts)

    assert max(one.width for one in verdicts) <= 1.5, said
    assert sum(one.inside for one in verdicts) >= 0.9 * len(verdicts), said


def test_what_is_left_out_says_why_and_is_no_more_than_a_third() -> None:
    rows = validation.points()

    left_out = [point for point in rows if point.left_out]
    assert len(left_out) < len(rows) / 3
    assert all(math.isfinite(point.step_seconds) for point in rows if not point.left_out)
