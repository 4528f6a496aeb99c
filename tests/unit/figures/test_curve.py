"""The curve is a small picture whatever the losses are."""

import re
from xml.etree import ElementTree as ET

import pytest

from vfnb.figures import draw_curve
from vfnb.spec import Event, Resized, Stopped, WorkerLost


def lines(picture: str) -> list[list[tuple[float, float]]]:
    found = re.findall(r'polyline points="([^"]*)"', picture)
    return [[(float(x), float(y)) for x, y in (pair.split(",") for pair in line.split())] for line in found]


def resized(step: int, count: int = 1) -> Event:
    return Resized(step=step, before=("cpu:0", "cpu:1"), after=("cpu:0",) * count, downtime=0.1)


def test_each_step_is_drawn_thin_and_the_smoothed_curve_thick() -> None:
    picture = draw_curve(range(1, 101), [1.0 + step % 2 for step in range(100)])

    raw, smooth = lines(picture)
    assert max(y for _, y in raw) - min(y for _, y in raw) > 100
    assert max(y for _, y in smooth[20:]) - min(y for _, y in smooth[20:]) < 100
    assert re.findall(r'stroke-width="(\S+)" stroke-opacity="(\S+)"', picture) == [("1", "0.45"), ("2.4", "1.0")]


def test_a_long_run_with_many_resizes_is_a_small_picture_and_keeps_its_spike() -> None:
    losses = [1.0] * 100_000
    losses[54_321] = 9.0

    picture = draw_curve(range(1, 100_001), losses, [resized(step) for step in range(1, 100_000, 100)])

    assert len(picture) < 60_000
    assert sum(y < lines(picture)[0][0][1] - 100 for _, y in lines(picture)[0]) == 1
    assert len(re.findall("<title>1 worker</title>", picture)) in range(60, 121)


@pytest.mark.parametrize("losses", [[0.0, 0.0], [-1.0, -5.0], [3.0, float("nan")], [float("inf"), 2.0], [1e-30, 1e30]])
def test_odd_losses_are_drawn(losses: list[float]) -> None:
    picture = draw_curve([1, 2], losses)

    ET.fromstring(picture)
    assert all(0 <= x <= 720 and 0 <= y <= 300 for line in lines(picture) for x, y in line)


def test_nothing_is_drawn_of_nothing() -> None:
    for picture in (draw_curve([], []), draw_curve([1], [float("nan")])):
        ET.fromstring(picture)
        assert lines(picture) == []


def test_axes_have_ticks_and_titles() -> None:
    texts = re.findall(r">([^<>]+)</text>", draw_curve(range(1, 1001), [2.0 - step / 1000 for step in range(1000)]))

    assert {"step", "loss (thick: smoothed)", "200", "1,000", "1.5", "2"} <= set(texts)


def test_resizes_and_losses_are_marked_one_above_the_other() -> None:
    events = (resized(2), WorkerLost(step=2, worker=1, device="cpu:1", reason="killed"), Stopped(step=3))

    picture = draw_curve([1, 2, 3], [3.0, 2.0, 1.0], events)

    labels = re.findall(r'y="(\d+)" text-anchor="\w+" fill="[^"]+">([^<]+)<', picture)
    assert [label for _, label in labels] == ["1 worker", "worker 1 lost"]
    assert labels[0][0] != labels[1][0]
    assert len(re.findall(r'stroke-width="1.4" stroke-dasharray', picture)) == 2
