"""Events: equal by what happened, not by when."""

import dataclasses
from typing import get_args

import pytest

from vfnb.spec import Event, Finished, Paused, Resized, Stopped


@pytest.mark.parametrize("kind", get_args(Event), ids=lambda kind: kind.__name__)
def test_every_event_is_frozen_and_carries_step_and_time_by_keyword(kind: type) -> None:
    step, at = dataclasses.fields(kind)[:2]

    assert (step.name, at.name) == ("step", "at")
    assert all(field.kw_only for field in dataclasses.fields(kind))
    assert at.default == 0.0
    assert not at.compare
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(kind)


def test_two_events_are_equal_whenever_they_happened() -> None:
    early = Resized(step=7, before=("cpu:0",), after=("cpu:0", "cpu:1"), downtime=0.25, at=1.0)
    late = dataclasses.replace(early, at=2.0)

    assert early == late
    assert early != dataclasses.replace(early, downtime=0.5)
    assert early != dataclasses.replace(early, step=8)


def test_events_of_different_kinds_are_never_equal() -> None:
    assert len({Paused(step=3), Stopped(step=3), Finished(step=3), Finished(step=3, at=9.0)}) == 3
