"""How good estimates are: predictions against published rates, with no device at all.

    python benchmarks/validation.py [--rows]

prints how often the true step lies in the stated range and how wide ranges are, without and with one measured step;
the weak scaling of LAMB; MLPerf's ResNet-50 from two points; and whether the largest batches that people ran fit.
"""

import csv
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import fmean, median

from vfnb.planning import Range, estimate_known
from vfnb.spec import VirtualCluster

DATA = Path(__file__).resolve().parents[1] / "tests" / "data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A published rate as a step's time."""

    source: str
    model: str
    sequence: str
    cluster: VirtualCluster
    precision: str
    step_seconds: float
    left_out: str

    @property
    def setting(self) -> tuple[str, ...]:
        """What one stack was measured on, at any number of devices."""
        batch = self.cluster.global_batch / self.cluster.count
        return (self.source, self.model, self.sequence, self.cluster.accelerator, self.precision, f"{batch:g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A prediction beside the truth."""

    point: Point
    range: Range

    @property
    def inside(self) -> bool:
        """Whether the true step lies in the range."""
        return self.range.low <= self.point.step_seconds <= self.range.high

    @property
    def width(self) -> float:
        """High over low."""
        return self.range.high / self.range.low

    @property
    def off(self) -> float:
        """The best guess over the truth."""
        return self.range.mid / self.point.step_seconds


def table(name: str) -> list[dict[str, str]]:
    """Read a table of published figures."""
    with (DATA / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def points() -> list[Point]:
    """Read every published rate."""
    return [_point(row) for row in table("step_rates.csv")]


def covered() -> list[Point]:
    """Read the rates that the models cover."""
    return [point for point in points() if not point.left_out]


def predicted(point: Point, measured: dict[VirtualCluster, float] | None = None) -> Range:
    """Predict a point's step; LAMB's rows mix two lengths."""
    parts = [part.partition(":") for part in point.sequence.split()] or [("", "", "")]
    spans = [(float(share or 1), _step(point, int(tokens) if tokens else None, measured)) for tokens, _, share in parts]
    return Range(
        low=sum(share * span.low for share, span in spans),
        mid=sum(share * span.mid for share, span in spans),
        high=sum(share * span.high for share, span in spans),
    )


def uncalibrated() -> list[Verdict]:
    """Predict every covered point from nothing."""
    return [Verdict(point=point, range=predicted(point)) for point in covered()]


def calibrated() -> list[Verdict]:
    """Predict every covered point from the smallest cluster of the same setting."""
    by_setting: dict[tuple[str, ...], list[Point]] = {}
    for point in covered():
        by_setting.setdefault(point.setting, []).append(point)
    found = []
    for alike in by_setting.values():
        first, *others = sorted(alike, key=lambda point: point.cluster.count)
        measured = {first.cluster: first.step_seconds}
        found += [Verdict(point=one, range=predicted(one, measured)) for one in others if one.cluster != first.cluster]
    return found


def lamb() -> Iterator[tuple[int, float, Range]]:
    """Predict LAMB's weak scaling from its 16 chips, as (chips, true seconds, range)."""
    rows = table("lamb_bert_large.csv")
    clusters = [_cluster(row["accelerator"], row["chips"], row["sequences_per_chip"]) for row in rows]
    truths = [float(row["step_seconds"]) for row in rows]
    for cluster, truth in zip(clusters, truths, strict=True):
        found = estimate_known("bert-large", cluster, measured={clusters[0]: truths[0]})
        yield cluster.count, truth, found.step_seconds


def mlperf() -> Iterator[tuple[VirtualCluster, float, Range]]:
    """Predict MLPerf's ResNet-50 from two rows of each accelerator, as (cluster, true seconds, range)."""
    rows = table("mlperf_resnet50.csv")
    for kind in dict.fromkeys(row["accelerator"] for row in rows):
        own = [row for row in rows if row["accelerator"] == kind]
        measured = {_whole(row): float(row["step_seconds"]) for row in own if row["calibrates"] == "1"}
        for row in own:
            if row["calibrates"] == "0":
                found = estimate_known("resnet50", _whole(row), measured=measured)
                yield _whole(row), float(row["step_seconds"]), found.step_seconds


def largest_batches() -> Iterator[tuple[str, str, int, str, str]]:
    """Judge the largest batches that were run, as (model, accelerator, batch, verdict, verdict of 1.5 times it)."""
    for row in table("largest_batches.csv"):
        batch = int(row["batch"])
        said = [
            estimate_known(
                row["model"],
                VirtualCluster(accelerator=row["accelerator"], count=1, global_batch=size),
                sequence=int(row["sequence"]) if row["sequence"] else None,
                precision=row["precision"],
            ).memory.verdict
            for size in (batch, batch * 3 // 2)
        ]
        yield row["model"], row["accelerator"], batch, said[0], said[1]


def summary(name: str, verdicts: list[Verdict]) -> str:
    """Write coverage, widths and bias in one line."""
    widths = [one.width for one in verdicts]
    bias = exp(fmean(log(one.off) for one in verdicts))
    return (
        f"{name}: {sum(one.inside for one in verdicts)} of {len(verdicts)} inside, "
        f"high/low median {median(widths):.2f}, largest {max(widths):.2f}; best guess over truth {bias:.2f}"
    )


def main(words: list[str]) -> None:
    """Print all of it."""
    free, fixed = uncalibrated(), calibrated()
    published = [one for one in free if not one.point.source.startswith("MLPerf training")]
    print(summary("nothing measured", free))
    print(summary("  of these, without MLPerf's tables", published))
    print(summary("one step measured", fixed))
    for reason, number in _reasons(points()):
        print(f"left out, {number}: {reason}")
    for chips, truth, span in lamb():
        print(f"LAMB, {chips} chips: {truth:.3f} s, predicted {span.mid:.3f} ({span.mid / truth - 1:+.0%})")
    for cluster, truth, span in mlperf():
        print(f"MLPerf, {cluster}: {truth * 1e3:.2f} ms, predicted {span.mid * 1e3:.2f} ({span.mid / truth - 1:+.0%})")
    verdicts = list(largest_batches())
    right = sum(at in {"fits", "tight"} and over == "does not fit" for *_, at, over in verdicts)
    print(f"largest batches: {right} of {len(verdicts)} right")
    if "--rows" in words:
        _print_rows([*free, *fixed])


def _print_rows(verdicts: Iterable[Verdict]) -> None:
    for one in verdicts:
        point, mark = one.point, " " if one.inside else "!"
        what = f"{point.model} {point.sequence} {point.precision}"
        print(f"{mark} {one.off:5.2f} {one.width:5.2f} {what:32} {point.cluster!s:44} {point.source[:60]}")


def _reasons(rows: list[Point]) -> list[tuple[str, int]]:
    reasons = [point.left_out for point in rows if point.left_out]
    return [(reason, reasons.count(reason)) for reason in dict.fromkeys(reasons)]


def _step(point: Point, tokens: int | None, measured: dict[VirtualCluster, float] | None) -> Range:
    return estimate_known(
        point.model, point.cluster, sequence=tokens, precision=point.precision, measured=measured
    ).step_seconds


def _point(row: dict[str, str]) -> Point:
    cluster = _cluster(row["accelerator"], row["devices"], row["batch_per_device"] or "1")
    rate = float(row["samples_per_second"])
    return Point(
        source=row["source"],
        model=row["model"],
        sequence=row["sequence"],
        cluster=cluster,
        precision=row["precision"],
        step_seconds=cluster.global_batch / rate if rate else float("inf"),
        left_out=row["left_out"],
    )


def _cluster(kind: str, devices: str, batch: str) -> VirtualCluster:
    return VirtualCluster(accelerator=kind, count=int(devices), global_batch=max(1, round(float(batch) * int(devices))))


def _whole(row: dict[str, str]) -> VirtualCluster:
    return VirtualCluster(
        accelerator=row["accelerator"], count=int(row["devices"]), global_batch=int(row["global_batch"])
    )


if __name__ == "__main__":
    main(sys.argv[1:])
