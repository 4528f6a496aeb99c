"""The kept results of the notebooks' full form, against what was expected of them before they were trained."""

import csv
import re
from pathlib import Path

import pytest
from source import ROOT

RESULTS = ROOT / "notebooks" / "results"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def kept(notebook: str, effect: str) -> list[dict[str, str]]:
    return [row for path in sorted(RESULTS.glob(f"{notebook}_{slug(effect)}*.csv")) for row in rows(path)]


EXPECTED = [
    row
    for row in rows(ROOT / "tests" / "data" / "effects.csv")
    if row["clear"] == "yes" and row["measure"] == "test %" and row["std"] and kept(row["notebook"], row["effect"])
]


@pytest.mark.parametrize("row", EXPECTED, ids=lambda row: f"{row['effect']}, {row['condition']}, {row['batch']}")
def test_a_clear_effect_shows_as_it_was_expected(row: dict[str, str]) -> None:
    mean, spread = float(row["mean"]), 2 * float(row["std"])

    found = [
        one
        for one in kept(row["notebook"], row["effect"])
        if one["condition"] == row["condition"] and one["batch"] == row["batch"]
    ]

    assert found, "the full form did not train it"
    for one in found:
        low, high = (100 * float(one[edge]) for edge in ("low", "high"))
        overlaps = low <= mean + spread and high >= mean - spread
        assert overlaps, f"{low:.1f} to {high:.1f}, not {mean} +- {spread}"


def test_intervals_come_from_enough_seeds() -> None:
    few = [path.name for path in RESULTS.glob("*.csv") for row in rows(path) if "runs" in row and int(row["runs"]) < 3]

    assert not few


def test_there_are_kept_results() -> None:
    assert EXPECTED
