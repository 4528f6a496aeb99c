"""What Tab offers behind the magic."""

from types import SimpleNamespace
from typing import Any

import pytest
from shells import small_task

import vfnb
from vfnb.notebook.completion import complete
from vfnb.notebook.flow import VFlow


def offered(line: str, **names: Any) -> list[str]:
    flow = VFlow(None)
    flow.shell = SimpleNamespace(user_ns=names)
    symbol = line.replace(":", " ").replace(",", " ").replace("=", " ").split(" ")[-1]
    return complete(flow, SimpleNamespace(text_until_cursor=line, symbol=symbol))


@pytest.mark.parametrize(
    ("line", "offers"),
    [
        ("%vflow re", ["resize", "resume"]),
        ("%%vflow ru", ["run", "runs"]),
        ("job = %vflow ru", ["run", "runs"]),
        ("%vflow stop ", []),
        ("%vflow fly ", []),
        ("%vflow target 64xV100 --b", ["--batch"]),
        ("%vflow run task --s", ["--steps", "--seed"]),
        ("%vflow run task --steps 3 --s", ["--seed"]),
        ("%vflow run --epochs ", []),
        ("%vflow run --replace --rep", []),
    ],
)
def test_verbs_and_their_flags_are_offered(line: str, offers: list[str]) -> None:
    assert offered(line) == offers


def test_accelerators_stand_behind_a_count() -> None:
    assert "1024xTPUv3" in offered("%vflow target 1024xTPU")
    assert offered("%vflow target TPU") == []


def test_a_parts_flag_offers_the_names_here() -> None:
    assert offered("%vflow run --model n", net=1, other=2, _n=3) == ["net"]
    assert offered("%vflow run --model=n", net=1) == ["net"]


def test_a_task_and_options_are_offered_where_they_stand() -> None:
    names = {"mine": small_task(), "fast": vfnb.Options(), "other": 1}

    assert offered("%vflow run ", **names)[0] == "mine"
    assert "other" not in offered("%vflow run ", **names)
    assert offered("%vflow run mine --options ", **names) == ["fast"]


def test_devices_are_offered_to_resize_and_on() -> None:
    assert "cpu:0" in offered("%vflow resize ")
    assert "cpu:0" in offered("%vflow run --on c")


def test_an_offer_goes_on_where_a_colon_or_a_comma_stands() -> None:
    assert "0" in offered("%vflow run --on cpu:")
    assert offered("%vflow run --on cpu:0,cpu:0") == []
    assert "cpu:0" in offered("%vflow run --on cpu:7,c")
    assert "cpu:0" not in offered("%vflow run --on cpu:0,c")
