"""Bars of what devices did over a time."""

import re
from xml.etree import ElementTree as ET

from vfnb.figures import Lane, draw_lanes


def bars(svg: str) -> list[tuple[float, float]]:
    ET.fromstring(svg)
    return [
        (float(x), float(x) + float(wide)) for x, wide in re.findall(r'<rect x="([\d.]+)".*? width="([\d.]+)"', svg)
    ]


def test_bars_stand_where_they_begin_and_end() -> None:
    svg = draw_lanes(
        [Lane(label="cpu:0", bars=[(0.0, 1.0), (1.0, 2.0)]), Lane(label="cpu:1", bars=[(0.0, 4.0)])],
        "seconds",
        "passes",
    )

    first, second, other = bars(svg)
    whole = other[1] - other[0]
    assert first[0] == other[0]
    assert first[1] == second[0]
    assert abs((second[1] - first[0]) / whole - 0.5) < 0.01
    assert "cpu:0" in svg
    assert "seconds" in svg


def test_labels_and_remarks_are_text_and_not_markup() -> None:
    svg = draw_lanes([Lane(label="a<b", bars=[(0.0, 1.0)], remark="16 & 8")], "s", "t")

    assert "a&lt;b" in svg
    assert "16 &amp; 8" in svg
    assert len(bars(svg)) == 1


def test_nothing_to_draw_is_drawn_as_nothing() -> None:
    assert bars(draw_lanes([Lane(label="idle", bars=[])], "s", "t")) == []
    assert bars(draw_lanes([], "s", "t")) == []
