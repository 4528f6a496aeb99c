import re
from xml.etree import ElementTree as ET

from vfnb.figures import Trace, draw_overlay


def trace(label: str, *, spread: bool = False) -> Trace:
    values = [3.0, 2.0, float("nan"), 1.0]
    low, high = ([value - 0.5 for value in values], [value + 0.5 for value in values]) if spread else ((), ())
    return Trace(label=label, steps=[1, 2, 3, 4], values=values, low=low, high=high)


def test_each_curve_has_its_colour_and_dashes_and_a_spread_is_a_band() -> None:
    picture = draw_overlay([trace("a", spread=True), trace("b & c")])

    ET.fromstring(picture)
    looks = re.findall(r'<polyline [^>]*stroke="(\S+)"[^>]*?(?:stroke-dasharray="([^"]+)")?/>', picture)
    assert len(set(looks)) == 2
    assert picture.count("<polygon") == 1
    assert "b &amp; c</text>" in picture


def test_many_long_runs_stay_a_small_picture() -> None:
    steps = list(range(20_000))
    values = [1 / (step + 1) for step in steps]

    traces = [Trace(label=f"run {n}", steps=steps, values=values, low=values, high=values) for n in range(20)]

    assert len(draw_overlay(traces)) < 200_000


def test_nothing_finite_draws_nothing() -> None:
    ET.fromstring(draw_overlay([Trace(label="a", steps=[1], values=[float("nan")])]))
    ET.fromstring(draw_overlay([]))
