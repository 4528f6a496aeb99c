"""`vfnb solve` in a terminal: the JSON alone, the text, and mistakes in one line."""

import json
from pathlib import Path

import pytest

from vfnb.cli import main

PROFILE = {
    "unit": "samples/s",
    "devices": {"V100": {"192": 1131.436, "256": 1169.75}, "P100": {"256": 283.217}},
    "communication_seconds": 1.06118506202,
}


@pytest.fixture
def profile(tmp_path: Path) -> str:
    path = tmp_path / "profile.json"
    path.write_text(json.dumps(PROFILE), encoding="utf-8")
    return str(path)


def asked(profile: str, devices: str = "V100=2,P100=2", *more: str) -> list[str]:
    return ["solve", profile, "--devices", devices, "--batch", "8192", *more]


def test_json_stands_alone(profile: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(asked(profile, "V100=2,P100=2", "--json"))

    said = capsys.readouterr()
    found = json.loads(said.out)
    assert (status, said.err) == (0, "")
    assert found["samples_per_second"] == pytest.approx(2097.2, abs=0.05)
    assert found["step_seconds"] == pytest.approx(8192 / found["samples_per_second"])
    assert {kind: (one["count"], one["batch"], one["nodes"]) for kind, one in found["devices"].items()} == {
        "V100": (2, 256, [13, 13]),
        "P100": (2, 256, [3, 3]),
    }
    assert found["best_single_kind"]["kind"] == "V100"
    assert found["gain"] == pytest.approx(1.168, abs=0.001)


@pytest.mark.parametrize(("devices", "rate"), [("V100=2,P100=2", 1751.6), ("V100=2,P100=4", 2169.3)])
def test_the_papers_rule_is_asked_for_by_name(
    devices: str, rate: float, profile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(asked(profile, devices, "--rule", "power-of-two", "--json"))

    assert json.loads(capsys.readouterr().out)["samples_per_second"] == pytest.approx(rate, abs=0.05)


def test_a_given_split_is_priced(profile: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(asked(profile, "V100=2,P100=2", "--split", "V100=8x256,P100=8x256", "--json"))

    found = json.loads(capsys.readouterr().out)
    assert found["samples_per_second"] == pytest.approx(987.9, abs=0.05)
    assert found["rule"] == "given"


def test_the_text_is_read_in_a_terminal(profile: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(asked(profile))

    said = capsys.readouterr().out
    assert "2,097.2 samples/s" in said
    assert "V100: 2 of 2, each 13 nodes of 256 samples, busy 73%" in said
    assert "1.168 times as fast as 2 V100 alone" in said


def test_idle_devices_are_named_and_one_kind_is_not_compared_with_itself(
    profile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(asked(profile, "V100=32,P100=1"))

    said = capsys.readouterr().out
    assert "P100: idle (1 there)" in said
    assert "times as fast" not in said


@pytest.mark.parametrize(
    ("devices", "more", "said"),
    [
        ("V100", (), "does not name each kind once; write it like V100=2,P100=4"),
        ("V100=2,V100=2", (), "does not name each kind once"),
        ("V100=two", (), "has 'two' where a number of at least 1 stands"),
        ("V100=0", (), "has '0' where a number of at least 1 stands"),
        ("K80=2", (), "no profile of 'K80', only of V100, P100; measure a K80"),
        ("V100=2", ("--nodes", "8"), "V100 holds at most 256 samples a pass, less than one virtual node of 1024"),
        ("V100=2", ("--split", "V100=16"), "write it like V100=16x192,P100=4x256"),
        ("P100=3", ("--rule", "power-of-two"), "a batch of 8192 cannot be split exactly by the rule power-of-two"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(
    devices: str, more: tuple[str, ...], said: str, profile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(asked(profile, devices, *more))

    printed = capsys.readouterr()
    assert status == 2
    assert said in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def test_a_profile_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(asked(str(tmp_path / "none.json")))

    assert status == 2
    assert "cannot be read" in capsys.readouterr().err
