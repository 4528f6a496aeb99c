"""Profile files: what is read from one, and every way in which one is refused."""

import json
from typing import Any

import pytest

from vfnb.ground import SpecError
from vfnb.spec import Speed, Speeds

PROFILE: dict[str, Any] = {
    "unit": "samples/s",
    "devices": {"V100": {"256": 1169.75, "192": 1131.436}, "P100": {"256": 283.217}},
    "communication_seconds": 1.06118506202,
}


def read(**changed: Any) -> Speeds:
    return Speeds.from_text(json.dumps(PROFILE | changed))


def test_a_profile_is_read_as_seconds_a_pass() -> None:
    speeds = read()

    assert speeds.of("V100").points == ((192, 192 / 1131.436), (256, 256 / 1169.75))
    assert speeds.of("P100").seconds(256) == 256 / 283.217
    assert speeds.communication == 1.06118506202


def test_seconds_are_taken_as_they_are() -> None:
    assert read(unit="seconds", devices={"A": {"8": 0.5}}).of("A").seconds(8) == 0.5


def test_communication_may_be_unknown_or_nothing() -> None:
    unknown = Speeds.from_text(json.dumps({"unit": "seconds", "devices": {"A": {"8": 0.5}}}))

    assert unknown.communication is None
    assert read(communication_seconds=0).communication == 0


def test_between_two_measurements_the_time_lies_on_their_line() -> None:
    speed = Speed("A", ((8, 1.0), (16, 3.0)))

    assert [speed.seconds(batch) for batch in (8, 9, 12, 16)] == [1.0, 1.25, 2.0, 3.0]


@pytest.mark.parametrize("batch", [7, 17])
def test_outside_of_what_was_measured_nothing_is_guessed(batch: int) -> None:
    with pytest.raises(SpecError, match=f"A was not measured at {batch} samples a pass but at 8 to 16; measure it"):
        Speed("A", ((8, 1.0), (16, 3.0))).seconds(batch)


def test_one_measurement_speaks_for_its_own_batch_alone() -> None:
    with pytest.raises(SpecError, match="P100 was not measured at 128 samples a pass but at 256 alone; measure it"):
        read().of("P100").seconds(128)


def test_an_unmeasured_kind_is_offered_to_be_measured() -> None:
    with pytest.raises(SpecError, match="no profile of 'K80', only of V100, P100; measure a K80"):
        read().of("K80")


def test_noise_of_a_measurement_is_no_falling_time() -> None:
    assert Speed("A", ((768, 1.0), (1024, 0.99))).largest == 1024


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"unit": "images/h"}, "unit='images/h' is unknown"),
        ({"unit": None}, "unit=None is unknown"),
        ({"devices": {}}, "needs kinds of devices"),
        ({"devices": [1]}, 'has no "devices"'),
        ({"devices": {"A": {}}}, "A has no measurements"),
        ({"devices": {"A": 5}}, "A has no measurements"),
        ({"devices": {"A": {"many": 5}}}, "A's batch 'many' is no number of samples"),
        ({"devices": {"A": {"0": 5}}}, "A's batch '0' is no number of samples"),
        ({"devices": {"A": {"-8": 5}}}, "A's batch '-8' is no number of samples"),
        ({"devices": {"A": {"8": 5, "08": 6}}}, "A has two measurements of 8"),
        ({"devices": {"A": {"8": "5 samples/s"}}}, "A's samples/s at 8 samples a pass is '5 samples/s'"),
        ({"devices": {"A": {"8": 0}}}, "is 0; give a number above 0"),
        ({"devices": {"A": {"8": True}}}, "is True; give a number above 0"),
        ({"devices": {"A": {"8": float("nan")}}}, "is nan; give a number above 0"),
        ({"devices": {"A": {"8": 1e-320}}}, "give a number above 0"),
        ({"devices": {"A": {"128": 100, "256": 300}}}, "A's time falls from 1.28 s to 0.8533 s"),
        ({"communication_seconds": -1}, "communication_seconds is -1"),
        ({"communication_seconds": "fast"}, "communication_seconds is 'fast'"),
        ({"comunication_seconds": 1}, r"unknown entries \['comunication_seconds'\]"),
    ],
)
def test_a_wrong_profile_is_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        read(**changed)


@pytest.mark.parametrize(
    ("text", "said"), [("not JSON", "not JSON"), ("[]", 'has no "devices"'), ("{}", 'no "devices')]
)
def test_what_is_no_profile_is_refused(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        Speeds.from_text(text)


def test_a_profile_without_its_unit_is_refused() -> None:
    with pytest.raises(SpecError, match='write "unit": "samples/s" or "seconds"'):
        Speeds.from_text('{"devices": {"A": {"8": 5}}}')


def test_a_kind_stands_once() -> None:
    with pytest.raises(SpecError, match="each once"):
        Speeds((Speed("A", ((1, 1.0),)), Speed("A", ((1, 1.0),))))


def test_a_kind_without_measurements_is_refused() -> None:
    with pytest.raises(SpecError, match="A has no measured pass"):
        Speed("A", ())
