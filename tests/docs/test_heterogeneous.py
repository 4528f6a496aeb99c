"""The page on devices of several speeds shows what the solver finds."""

import re

import pytest
from source import ROOT
from speeds import Published, published

from vfnb.planning import solve

PAGE = (ROOT / "docs" / "heterogeneous.md").read_text(encoding="utf-8")
ROWS = {
    (cells[0].rsplit(",", 1)[0], cells[1]): cells
    for line in PAGE.splitlines()
    if len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 6 and "=" in cells[1]
}
CASES = [case for case in published() if case.name != "H1a" and case.workload != "Transformer"]


def devices(case: Published) -> str:
    return ",".join(f"{kind}={number}" for kind, number in case.devices.items())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.workload} {devices(case)}")
def test_a_row_of_the_table_is_what_is_found(case: Published) -> None:
    papers, whole = (
        solve(case.speeds, case.devices, batch=case.batch, rule=rule).samples_per_second
        for rule in ("power-of-two", "integer")
    )

    row = ROWS[case.workload, devices(case)]

    measured = "" if case.measured is None else f"{case.measured:.1f}"
    assert row[2:] == [measured, f"{papers:.1f}", f"{whole:.1f}", f"{whole / papers - 1:.1%}".replace("%", " %")]


def test_every_row_has_its_source() -> None:
    assert sorted(ROWS) == sorted({(case.workload, devices(case)) for case in CASES})


@pytest.mark.parametrize("case", [case for case in published() if case.workload == "Transformer"], ids=devices)
def test_the_transformers_rates_stand_in_the_text(case: Published) -> None:
    rate = solve(case.speeds, case.devices, batch=case.batch, rule="power-of-two").samples_per_second

    assert f"{rate:.1f}" in PAGE


def test_the_answer_shown_is_the_answer() -> None:
    case = next(case for case in published() if case.name == "H1b")
    shown = re.search(r"```text\n(.*?)\n```", PAGE, re.DOTALL)

    assert shown is not None
    assert shown[1] == str(solve(case.speeds, case.devices, batch=case.batch))
