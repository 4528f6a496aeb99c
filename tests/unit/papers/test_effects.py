"""What recipes say was found is what was written down before any notebook was run."""

import csv

import pytest
from source import ROOT

from vfnb.papers.reading import recipes

with (ROOT / "tests" / "data" / "effects.csv").open(encoding="utf-8", newline="") as _file:
    EFFECTS = [*csv.DictReader(_file)]


@pytest.mark.parametrize(
    ("recipe", "effect", "measure", "column", "spread"),
    [
        ("goyal-imagenet-1h", "ImageNet in an hour", "test %", "accuracy", "deviation"),
        ("goyal-linear-scaling", "linear scaling", "test %", "scaled rate", "deviation of it"),
        ("lamb-bert-32k", "optimizers at 1024", "test %", "accuracy", "deviation"),
        ("smith-increase-batch", "batch in place of decay", "test %", "accuracy", "deviation"),
        ("shallue-steps-to-result", "steps to 80 %", "updates", "updates", None),
        ("virtualflow-bert-large-glue", "a recipe belongs to its batch", "test %", "accuracy", "deviation"),
        ("hoffer-ghost-batch-norm", "ghost batch norm", "test %", "accuracy", "deviation"),
    ],
)
def test_a_recipes_findings_are_those_written_down(
    recipe: str, effect: str, measure: str, column: str, spread: str | None
) -> None:
    found = recipes()[recipe].version("binder").found
    assert found is not None
    place = found.columns.index
    stated = {
        (str(row[place(column)]).partition(",")[0], "" if spread is None else str(row[place(spread)]))
        for row in found.rows
    }
    stated = {(f"{float(mean):g}", f"{float(std):g}" if std else "") for mean, std in stated}

    written = {
        (f"{float(row['mean']):g}", f"{float(row['std']):g}" if row["std"] else "")
        for row in EFFECTS
        if row["effect"] == effect and row["measure"] == measure and row["condition"] != "fixed rate"
    }

    assert written <= stated


def test_effects_are_written_once_each() -> None:
    keys = [tuple(row[name] for name in ("effect", "condition", "batch", "rate", "measure")) for row in EFFECTS]

    assert len(set(keys)) == len(keys)
    assert {row["clear"] for row in EFFECTS} == {"yes", "no"}
