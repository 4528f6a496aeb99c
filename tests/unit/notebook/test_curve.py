"""The curve is a small picture whatever the losses are."""

import re
from xml.etree import ElementTree as ET

import pytest

from vfnb.notebook.curve import draw
from vfnb.spec import Resized, Stopped, WorkerLost


def points(picture: str) -> list[tuple[float, float]]:
    (line,) = re.findall(r'polyline points="([^"]*)"', picture)
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in line.split())]


def test_a_long_run_is_drawn_with_few_points_and_keeps_its_spike() -> None:
    losses = [1.0] * 100_000
    losses[54_321] = 9.0

    drawn = points(draw(range(1, 100_001), losses))

    assert len(drawn) <= 502
    assert sum(y < drawn[0][1] - 100 for _, y in drawn) == 1


def test_losses_over_decades_are_spread_evenly() -> None:
    heights = [y for _, y in points(draw([1, 2, 3], [100.0, 1.0, 0.01]))]

    assert heights[1] - heights[0] == pytest.approx(heights[2] - heights[1], abs=0.11)


@pytest.mark.parametrize("losses", [[0.0, 0.0], [-1.0, -5.0], [3.0, float("nan")], [float("inf"), 2.0]])
def test_odd_losses_are_drawn(losses: list[float]) -> None:
    ET.fromstring(draw([1, 2], losses))
    assert all(0 <= x <= 640 and 0 <= y <= 220 for x, y in points(draw([1, 2], losses)))


def test_nothing_is_drawn_of_nothing() -> None:
    ET.fromstring(draw([], []))
    ET.fromstring(draw([1], [float("nan")]))


def test_resizes_and_losses_are_marked_one_above_the_other() -> None:
    events = (
        Resized(step=2, before=("cpu:0", "cpu:1"), after=("cpu:0",), downtime=0.1),
        WorkerLost(step=2, worker=1, device="cpu:1", reason="killed"),
        Stopped(step=3),
    )

    picture = draw([1, 2, 3], [3.0, 2.0, 1.0], events)

    labels = re.findall(r'y="(\d+)" text-anchor="\w+" fill="[^"]+">([^<]+)<', picture)
    assert [label for _, label in labels] == ["1 worker", "worker 1 lost"]
    assert labels[0][0] != labels[1][0]
    assert picture.count("<line") == 2
