"""Devices that look slower, and scripts that make one slower in mid-run."""

import pytest

from vfnb.ground import SpecError
from vfnb.spec import Device, DeviceProfile
from vfnb.testing import FaultScript, slower


def test_a_slower_slot_says_that_it_is_simulated() -> None:
    slot = slower("cpu:1", 4)

    assert slot == Device("cpu", 1, slowdown=4)
    assert str(slot) == "cpu:1@1/4-simulated"
    assert DeviceProfile.name_of(slot) == "cpu@1/4-simulated"


def test_a_slower_slot_made_slower_is_slower_by_both() -> None:
    assert str(slower(slower("cpu:0/2", 2), 1.5)) == "cpu:0/2@1/3-simulated"


@pytest.mark.parametrize(("device", "times"), [("cpu:0", 0.5), ("cpu:0", 1e6), ("cpu:0", float("nan")), ("cuda:0", 2)])
def test_refuses_what_cannot_be_played(device: str, times: float) -> None:
    with pytest.raises(SpecError):
        slower(device, times)


def test_a_script_slows_one_worker_from_a_step_until_another() -> None:
    script = FaultScript().slow(1, 3, step=5, until=7)

    found = {step: script("pass", worker=1, step=step, detail=2) for step in (4, 5, 6, 7)}

    assert found == {4: None, 5: 3, 6: 3, 7: None}
    assert script("pass", worker=0, step=5) is script("before_vote", worker=1, step=5) is None


def test_two_slow_spells_of_a_script_multiply() -> None:
    assert FaultScript().slow(0, 2).slow(0, 3, step=4)("pass", worker=0, step=9) == 6
