"""`vfnb estimate` in a terminal: the JSON alone, the card, and mistakes in one line."""

import json

import pytest

from vfnb.cli import main

LAMB = ["estimate", "bert-large", "--target", "1024xTPUv3", "--batch", "32768", "--sequence", "128"]


def test_json_stands_alone(capsys: pytest.CaptureFixture[str]) -> None:
    status = main([*LAMB, "--calibrate", "16xTPUv3=0.293", "--steps", "15600", "--json"])

    said = capsys.readouterr()
    found = json.loads(said.out)
    assert (status, said.err) == (0, "")
    assert found["measured"] == [{"target": "16 x TPU v3, batch 512", "step_seconds": 0.293}]
    assert found["step_seconds"]["mid"] == pytest.approx(0.389, rel=0.2)
    assert found["memory"]["verdict"] == "fits"
    assert found["price_usd"] > 0


def test_the_card_is_read_in_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    main(LAMB)

    assert "1024 x TPU v3, batch 32,768 (chips)" in capsys.readouterr().out


def test_several_measured_steps_are_taken_with_their_batches(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["estimate", "resnet50", "--target", "4096xTPUv3", "--batch", "65536", "--json"]

    main([*words, "--calibrate", "16xTPUv3@4096=0.14494", "--calibrate", "1024xTPUv3@32768=0.0253"])

    assert json.loads(capsys.readouterr().out)["step_seconds"]["mid"] == pytest.approx(0.0164, rel=0.1)


def test_the_users_price_and_power_count(capsys: pytest.CaptureFixture[str]) -> None:
    main([*LAMB, "--price", "0", "--watts", "0", "--json"])

    found = json.loads(capsys.readouterr().out)
    assert (found["price_usd"], found["energy_kwh"]["high"]) == (0, 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["estimate", "resnet", "--target", "8xV100", "--batch", "64"], "model 'resnet' is unknown; the nearest"),
        (["estimate", "resnet50", "--target", "8xV1000", "--batch", "64"], "the nearest names are V100"),
        (["estimate", "resnet50", "--target", "8", "--batch", "64"], "names no accelerator"),
        ([*LAMB, "--calibrate", "16xTPUv3"], "write it like 16xTPUv3=0.293"),
        ([*LAMB, "--calibrate", "16xTPUv3=soon"], "write it like 16xTPUv3=0.293"),
        ([*LAMB, "--calibrate", "16xTPUv3=-1"], "give seconds above 0"),
        ([*LAMB, "--steps", "0"], "a run has at least 1 step"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(words)

    printed = capsys.readouterr()
    assert status == 2
    assert said in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def test_a_missing_word_is_one_line_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["estimate", "resnet50"])

    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
