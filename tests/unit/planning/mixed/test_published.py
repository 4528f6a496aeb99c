"""The splits that the authors of VirtualFlow printed, and what the other rules find for the same profiles."""

import pytest
from speeds import Published, published, speed_of

from vfnb.planning import price, solve
from vfnb.spec import Speeds

PRINTED = published()
GIVEN = [case for case in PRINTED if case.split]
SOLVED = [case for case in PRINTED if case.name != "H1a"]  # H1a is the even split, which was run and never an optimum


def said(case: Published) -> str:
    return case.name or f"{case.workload} {case.devices}"


@pytest.mark.parametrize("case", GIVEN, ids=said)
def test_a_printed_split_is_priced_to_four_digits(case: Published) -> None:
    split = price(case.speeds, case.devices, case.split, batch=case.batch)

    assert f"{split.samples_per_second:.4g}" == f"{case.predicted:.4g}"


@pytest.mark.parametrize("case", GIVEN, ids=said)
def test_a_priced_split_is_within_six_per_cent_of_what_was_measured(case: Published) -> None:
    split = price(case.speeds, case.devices, case.split, batch=case.batch)

    assert split.samples_per_second == pytest.approx(case.measured, rel=0.06)


@pytest.mark.parametrize("case", SOLVED, ids=said)
def test_the_papers_rule_finds_the_printed_rate_to_four_digits(case: Published) -> None:
    split = solve(case.speeds, case.devices, batch=case.batch, rule="power-of-two")

    assert f"{split.samples_per_second:.4g}" == f"{case.predicted:.4g}"
    assert {part.kind: len(part.nodes) for part in split.parts} == case.devices
    if case.split:
        assert {part.kind: (part.nodes[0], part.batch) for part in split.parts} == case.split


@pytest.mark.parametrize("case", [case for case in SOLVED if case.batch <= 8192], ids=said)
def test_whole_numbers_of_nodes_are_never_slower_than_the_papers_rule(case: Published) -> None:
    papers = solve(case.speeds, case.devices, batch=case.batch, rule="power-of-two")

    split = solve(case.speeds, case.devices, batch=case.batch, rule="integer")

    assert split.samples_per_second >= papers.samples_per_second


@pytest.mark.parametrize("rule", ["equal", "integer"])
@pytest.mark.parametrize(("name", "rate"), [("H1b", 2097.2), ("H2a", 2221.6), ("H3", 2855.4)])
def test_with_any_number_of_nodes_the_published_mixes_gain(name: str, rate: float, rule: str) -> None:
    case = next(case for case in PRINTED if case.name == name)

    split = solve(case.speeds, case.devices, batch=case.batch, rule=rule)

    assert split.samples_per_second == pytest.approx(rate, abs=0.06)
    assert {part.batch for part in split.parts} == {256}


@pytest.mark.parametrize(("kind", "number", "rate"), [("P100", 8, 945.6), ("V100", 4, 866.3)])
def test_sizes_between_the_measured_ones_gain_more(kind: str, number: int, rate: float) -> None:
    speeds = Speeds((speed_of("BERT SST-2", "K80"), speed_of("BERT SST-2", kind)), 0.0)

    split = solve(speeds, {"K80": 16, kind: number}, batch=1024, rule="integer")

    assert split.samples_per_second == pytest.approx(rate, abs=0.1)


def test_the_papers_split_of_h1_is_said_to_lose_to_one_kind() -> None:
    case = next(case for case in PRINTED if case.name == "H1b")

    split = solve(case.speeds, case.devices, batch=case.batch, rule="power-of-two")

    assert split.single is not None
    assert split.single.kinds == ("V100",)
    assert split.gain == pytest.approx(0.976, abs=0.001)
    assert any("mixing loses here: 2 V100 alone" in remark for remark in split.remarks)
