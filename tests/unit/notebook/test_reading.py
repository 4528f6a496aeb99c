"""A line is a verb with its words and flags, a request for help, or a mistake in one sentence."""

from typing import Any

import pytest
from IPython.core.error import UsageError

from vfnb.notebook.reading import read
from vfnb.notebook.verbs import VERBS


def given(line: str) -> dict[str, Any]:
    asked = read(line)
    assert not isinstance(asked, str)
    return vars(asked[1])


def test_words_and_flags_may_stand_in_any_order() -> None:
    assert given("run --on 2 task --epochs=3") == given("run task --epochs 3 --on 2")


def test_a_flag_whose_value_may_be_left_out_is_told_from_one_that_is_not_there() -> None:
    assert [given(line)["resume"] for line in ("run task", "run task --resume", "run task --resume old")] == [
        None,
        "",
        "old",
    ]


def test_quoted_words_stay_together() -> None:
    assert given("target '16 x V100' --batch 8")["words"] == ["16 x V100"]


@pytest.mark.parametrize("line", ["", "help", "--help", "-h"])
def test_the_bare_magic_prints_a_newcomers_verbs_first(line: str) -> None:
    text = read(line)

    assert isinstance(text, str)
    assert [one.split()[1] for one in text.splitlines()[:5]] == ["target", "run", "resize", "status", "stop"]
    assert all(f"%vflow {name} " in text for name in VERBS)


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_documents_itself(name: str) -> None:
    text = read(f"{name} whatever --help")

    assert isinstance(text, str)
    assert text.startswith(f"%vflow {VERBS[name].example}")
    assert all(flag in text and one.about in text for flag, one in VERBS[name].flags.items())


@pytest.mark.parametrize("name", VERBS)
def test_a_verbs_example_is_a_line_that_can_be_read(name: str) -> None:
    asked = read(VERBS[name].example)

    assert not isinstance(asked, str)
    assert asked[0] is VERBS[name]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("fly", "no verb 'fly'; it has target, run"),
        ("runn task", "no verb 'runn'; did you mean run?"),
        ("run task --setps 3", "run takes no --setps; did you mean --steps?"),
        ("run task --step 3", "run takes no --step; did you mean --steps?"),
        ("run task --steps", "--steps: expected one argument"),
        ("run task --steps many", "'many' is no whole number; write one such as 3"),
        ("run task --seed 1.5", "'1.5' is no whole number"),
        ("run task other", "run takes no 'other'"),
        ("target 8xV100 --batch 8 --quick", "target takes no --quick; it takes --batch"),
        ("stop --epochs 2", "stop takes no --epochs; it takes no flags"),
        ("pause now then", "pause takes no 'then'; write: %vflow pause"),
        ("status --fast", "status takes no --fast"),
        ("devices cpu", "devices takes no 'cpu'"),
        ("target 'open", "No closing quotation"),
    ],
)
def test_a_mistake_is_one_line(line: str, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(line)

    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
