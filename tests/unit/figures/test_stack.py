"""Allocations as a stack over time."""

import re

from vfnb.figures import draw_stack


def bars(svg: str) -> list[tuple[float, float, float, float, str]]:
    found = re.findall(
        r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="#\w+"><title>(.*?)</title>', svg
    )
    return [(*map(float, numbers), title) for *numbers, title in found]


def test_bars_stand_on_each_other_for_as_long_as_nothing_changes() -> None:
    svg = draw_stack([(0.0, "a", 4), (10.0, "a", 2), (10.0, "b", 2), (30.0, "a", 0)], total=4, now=40.0)

    first, second, third, last = bars(svg)
    assert [one[4] for one in (first, second, third, last)] == ["a: 4", "a: 2", "b: 2", "b: 2"]
    assert second[2] == 2 * first[2]
    assert third[1] + third[3] == second[1]
    assert second[3] == third[3] == first[3] / 2
    assert last[0] == second[0] + second[2]


def test_a_name_is_escaped_and_a_long_one_cut() -> None:
    svg = draw_stack([(0.0, "a<b", 1), (0.0, "x" * 40, 1)], total=2, now=1.0)

    assert "a&lt;b" in svg
    assert "x" * 17 + "\u2026" in svg


def test_nothing_is_drawn_of_nothing() -> None:
    assert "rect" not in draw_stack([], total=4, now=3.0)


def test_ten_thousand_changes_are_a_small_picture() -> None:
    changes = [(float(second), f"job {second % 5}", second % 3) for second in range(10_000)]

    assert len(draw_stack(changes, total=10, now=10_000.0)) < 300_000
