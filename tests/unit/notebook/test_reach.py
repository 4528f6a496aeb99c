"""The chart of an estimate, as plotly has it."""

from dataclasses import replace
from typing import Any

import vfnb
from vfnb.planning import Estimate, curves


def lamb(**given: Any) -> Estimate:
    return vfnb.estimate("bert-large", vfnb.VirtualCluster.parse("1024xTPUv3", global_batch=32768), **given)


def test_each_kind_is_a_line_dotted_up_to_its_memory_wall() -> None:
    found = lamb(steps=1000)

    figure = found.chart("H100")

    for curve in curves(found, ["H100"]):
        solid, dotted, wall = [one for one in figure.data if one.legendgroup == curve.accelerator]
        assert curve.wall is not None
        assert (solid.name, solid.line.dash, dotted.line.dash) == (curve.accelerator, None, "dot")
        assert min(solid.x) == max(dotted.x) == wall.x[0] == curve.wall.devices
        assert "memory wall" in wall.text[0]
    assert [one.name for one in figure.data if one.showlegend is not False] == ["TPU v3", "H100 SXM 80GB", "the target"]


def test_the_target_is_a_point_on_its_line_and_its_range_is_shaded() -> None:
    found = lamb(steps=1000)

    figure = found.chart("H100")

    low, high, *_, target = figure.data
    assert found.run_seconds is not None
    assert (target.x, target.y) == ((1024,), (found.run_seconds.mid,))
    place = list(low.x).index(1024)
    assert (low.y[place], high.y[place]) == (found.run_seconds.low, found.run_seconds.high)
    assert high.fill == "tonexty"


def test_what_fits_no_number_of_devices_is_dotted_and_says_so() -> None:
    found = lamb()
    huge = replace(found, workload=replace(found.workload, parameters=10**12))

    figure = huge.chart("TPU v3")

    assert [one.name for one in figure.data if one.showlegend] == ["TPU v3: does not fit"]


def test_the_end_of_the_batch_is_marked_where_it_is_reached() -> None:
    small = vfnb.estimate("resnet50", vfnb.VirtualCluster.parse("8xV100", global_batch=32))

    assert "one sample a device" in [note.text for note in small.chart().layout.annotations]
    assert "one sample a device" not in [note.text for note in lamb().chart().layout.annotations]


def test_without_a_length_a_steps_time_is_drawn() -> None:
    assert replace(lamb(), length=None).chart().layout.yaxis.title.text == "time of a step"
    assert lamb(steps=8599).chart().layout.yaxis.title.text == "time of 8,599 steps"
