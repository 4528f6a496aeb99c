"""What Tab offers behind the magic."""

from types import SimpleNamespace
from typing import Any

import pytest

from vfnb.notebook.completion import complete_flow


def offered(line: str, **names: Any) -> list[str]:
    symbol = "" if line.endswith(" ") else line.rsplit(maxsplit=1)[-1]
    return complete_flow(SimpleNamespace(user_ns=names), SimpleNamespace(line=line, symbol=symbol))


@pytest.mark.parametrize(
    ("line", "offers"),
    [
        ("%vflow re", ["resize", "resume"]),
        ("%%vflow ru", ["run", "runs"]),
        ("%vflow stop ", []),
        ("%vflow target 64xV100 --b", ["--batch"]),
        ("%vflow run task --s", ["--steps", "--seed"]),
        ("%vflow run --epochs ", []),
    ],
)
def test_verbs_and_their_flags_are_offered(line: str, offers: list[str]) -> None:
    assert offered(line) == offers


def test_accelerators_stand_behind_a_count() -> None:
    assert "1024xTPUv3" in offered("%vflow target 1024xTPU")
    assert offered("%vflow target TPU") == []


def test_a_parts_flag_offers_the_names_here() -> None:
    assert offered("%vflow run --model n", net=1, other=2, _n=3) == ["net"]


def test_devices_are_offered_to_resize_and_on() -> None:
    assert "cpu:0" in offered("%vflow resize ")
    assert "cpu:0" in offered("%vflow run --on c")
