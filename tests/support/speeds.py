"""Measured device speeds and splits that others published, read from tests/data."""

import csv
from dataclasses import dataclass
from functools import cache

from source import ROOT

from vfnb.spec import Speed, Speeds

DATA = ROOT / "tests" / "data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A split whose rate was printed: what there was, and how it was split where that was printed too."""

    name: str
    workload: str
    batch: int
    devices: dict[str, int]
    split: dict[str, tuple[int, int]]
    communication: float
    predicted: float
    measured: float | None

    @property
    def speeds(self) -> Speeds:
        """What was measured of the kinds."""
        return Speeds(tuple(speed_of(self.workload, kind) for kind in self.devices), self.communication)


@cache
def speed_of(workload: str, kind: str) -> Speed:
    """Give what was published of one kind."""
    rows = [row for row in _rows("device_rates.csv") if (row["workload"], row["kind"]) == (workload, kind)]
    return Speed(kind, tuple((int(row["batch"]), int(row["batch"]) / float(row["samples_per_second"])) for row in rows))


def published() -> list[Published]:
    """List the splits whose rates were printed."""
    return [
        Published(
            name=row["name"],
            workload=row["workload"],
            batch=int(row["batch"]),
            devices={kind: int(number) for kind, number in _pairs(row["devices"])},
            split={kind: _part(part) for kind, part in _pairs(row["split"])},
            communication=float(row["communication_seconds"]),
            predicted=float(row["predicted"]),
            measured=float(row["measured"]) if row["measured"] else None,
        )
        for row in _rows("device_splits.csv")
    ]


def _rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _pairs(text: str) -> list[tuple[str, str]]:
    pairs = [one.partition("=") for one in text.split(",") if one]
    return [(kind, value) for kind, _, value in pairs]


def _part(text: str) -> tuple[int, int]:
    nodes, _, batch = text.partition("x")
    return int(nodes), int(batch)
