"""How far a run is, measured four ways."""

import numpy as np
import pytest
from telling import told

from vfnb.notebook.panel.axis import AXES, Axis, position, positions, title
from vfnb.spec import Paused


@pytest.mark.parametrize(
    ("axis", "last", "name"),
    [
        ("steps", 20, "step"),
        ("samples", 20 * 512, "samples"),
        ("epochs", 2, "epochs"),
        ("time", 19, "wall time in seconds"),
    ],
)
def test_the_last_step_stands_where_it_belongs(axis: Axis, last: float, name: str) -> None:
    made = told(20)

    assert positions(made, axis)[-1] == last
    assert title(made, axis) == name


@pytest.mark.parametrize("axis", AXES)
def test_nothing_stands_anywhere_before_the_first_step(axis: Axis) -> None:
    assert len(positions(told(), axis)) == 0
    assert np.isfinite(position(told(), axis, Paused(step=0)))


def test_a_pause_stands_at_its_own_time_on_the_wall_and_at_its_step_elsewhere() -> None:
    paused = Paused(step=5, at=1005.5)

    assert position(told(20), "steps", paused) == 5
    assert position(told(20), "time", paused) == pytest.approx(4.5)


def test_a_long_run_is_measured_in_hours() -> None:
    at = 1000.0 + 1000 * np.arange(20)

    made = told(20, columns={"at": at})

    assert title(made, "time") == "wall time in hours"
    assert positions(made, "time")[-1] == pytest.approx(19_000 / 3600)
