import re
from xml.etree import ElementTree as ET

from vfnb.figures import Trace, draw_by_batch

BATCHES = [32, 64, 128, 256]


def trace(values: tuple[float, ...] = (8.0, 4.0, 2.0, 2.0), wide: float = 0.2, label: str = "a") -> Trace:
    low, high = [(1 - wide) * value for value in values], [(1 + wide) * value for value in values]
    return Trace(label=label, steps=BATCHES, values=values, low=low, high=high)


def across(picture: str) -> list[float]:
    return [float(x) for x in re.findall(r'<circle cx="([\d.]+)"', picture)]


def test_doublings_of_the_batch_are_equally_far_apart() -> None:
    picture = draw_by_batch([trace()], "accuracy")

    ET.fromstring(picture)
    first, second, third, fourth = across(picture)
    assert abs((second - first) - (third - second)) < 0.2
    assert abs((second - first) - (fourth - third)) < 0.2


def test_each_batch_is_named_on_its_axis_and_has_its_interval() -> None:
    picture = draw_by_batch([trace()], "accuracy")

    assert all(f">{batch}</text>" in picture for batch in BATCHES)
    assert picture.count("h8") == 2 * len(BATCHES)


def test_an_interval_does_not_drown_the_values_and_is_left_open_where_it_is_cut() -> None:
    picture = draw_by_batch([trace(wide=100.0)], "accuracy")

    heights = [float(y) for y in re.findall(r'<circle cx="[\d.]+" cy="([\d.]+)"', picture)]
    assert max(heights) - min(heights) > 80, "of about 200"
    assert "h8" not in picture


def test_a_batch_without_a_value_has_no_mark() -> None:
    picture = draw_by_batch([trace(values=(8.0, float("nan"), 2.0, 2.0))], "accuracy")

    assert len(across(picture)) == 3


def test_the_noise_scale_is_marked_inside_the_axis_wherever_it_lies() -> None:
    picture = draw_by_batch([trace()], "accuracy", noise=5_000.0)

    marked = re.search(r'<path d="M([\d.]+) \d+V\d+" [^>]*stroke-dasharray="5 3"/><text[^>]*>([^<]+)<', picture)
    assert marked is not None
    assert marked[2] == "noise scale 5,000"
    assert max(across(picture)) < float(marked[1]) < 720


def test_perfect_scaling_halves_with_each_doubling() -> None:
    picture = draw_by_batch([trace(values=(8.0, 4.0, 2.0, 1.0))], "steps", halving=True, factors=True)

    lines = re.findall(r'<polyline points="([^"]+)"', picture)
    assert len(lines) == 2
    assert lines[0] == lines[1]
    assert "steps, log scale" in picture


def test_nothing_finite_draws_nothing() -> None:
    ET.fromstring(draw_by_batch([Trace(label="a", steps=[1], values=[float("nan")])], "loss"))
    ET.fromstring(draw_by_batch([], "loss"))
