"""The receipt that the repository keeps is replayed, and is equal wherever its environment is."""

import json

import pytest
from source import ROOT

from vfnb.cli.task_file import task_named
from vfnb.session import verify
from vfnb.session.environment import numeric_environment, wider_environment

FOLDER = ROOT / "notebooks" / "receipts"
BITS = ("torch", "numpy", "machine", "instructions", "processor")


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.json")))
def test_a_kept_receipt_is_equal_here_or_says_what_is_different(name: str) -> None:
    then = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["environment"]
    now = numeric_environment() | wider_environment()

    verdict = verify(FOLDER / f"{name}.json", task_named(f"{FOLDER / name}.py:task"), engine="inline")

    if all(then[field] == now[field] for field in BITS):
        assert verdict.equal, (
            f"{verdict}; where the bits were meant to change, run {name}.py and say so in CHANGELOG.md"
        )
    assert verdict.equal or verdict.causes


def test_there_is_a_receipt_for_each_script() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == {path.stem for path in FOLDER.glob("*.json")} != set()
