from typing import Any

import pytest

from vfnb.ground import SpecError
from vfnb.session.choice import best_devices, device_remarks, mixed_kinds, next_devices
from vfnb.spec import Device

CPUS = tuple(Device("cpu", index) for index in range(4))
CUDAS = tuple(Device("cuda", index) for index in range(2))
LAPTOP, SERVER, MAC = CPUS, (*CPUS, *CUDAS), (*CPUS, Device("mps", 0))


def names(devices: tuple[Device, ...]) -> list[str]:
    return [str(device) for device in devices]


@pytest.mark.parametrize(
    ("request_", "here", "chosen"),
    [
        (None, LAPTOP, ["cpu:0", "cpu:1", "cpu:2", "cpu:3"]),
        (None, SERVER, ["cuda:0", "cuda:1"]),
        (None, MAC, ["mps"]),
        (1, SERVER, ["cuda:0"]),
        (6, LAPTOP, ["cpu:0", "cpu:1", "cpu:2", "cpu:3", "cpu:4", "cpu:5"]),
        (["cuda:1", "cpu:0"], SERVER, ["cuda:1", "cpu:0"]),
        (["cuda:0", "cuda:0"], SERVER, ["cuda:0", "cuda:0"]),
        ("cuda:1", SERVER, ["cuda:1"]),
        (["mps"], MAC, ["mps"]),
        (["cpu:9"], LAPTOP, ["cpu:9"]),
        ([Device("cpu", 2)], SERVER, ["cpu:2"]),
    ],
)
def test_chooses_what_was_asked_for(request_: Any, here: tuple[Device, ...], chosen: list[str]) -> None:
    assert names(best_devices(request_, here)) == chosen


def test_slots_have_the_threads_that_the_options_say() -> None:
    assert names(best_devices(None, LAPTOP, threads=2)) == ["cpu:0/2", "cpu:1/2"]
    assert names(best_devices(None, LAPTOP, threads=16)) == ["cpu:0/16"]
    assert names(best_devices(2, LAPTOP, threads=3)) == ["cpu:0/3", "cpu:1/3"]
    assert names(best_devices(["cpu:1", "cpu:0/4"], LAPTOP, threads=2)) == ["cpu:1/2", "cpu:0/4"]


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (0, "devices=0 leaves no worker; give a number of at least 1"),
        (-2, "devices=-2 leaves no worker"),
        (3, "devices=3 is more than there are; this machine has cpu:0.*cuda:1"),
        (["cuda:7"], "there is no cuda:7 here; this machine has"),
        ("mps", "there is no mps here"),
        ([], r"devices=\[\] names no device"),
        (True, "devices=True names no device"),
        (2.5, "devices=2.5 names no device"),
        ([1, 2], "names no device"),
        ("gpu0", "'gpu0' is no device"),
        (["cpu:0", "cpu:0"], "cpu:0 is a slot for one worker and is named twice"),
        (["cpu:0", "cpu:0/2"], "cpu:0 is a slot for one worker and is named twice"),
        (["cpu:1", "cpu:1@1/4-simulated"], "cpu:1 is a slot for one worker and is named twice"),
    ],
)
def test_refuses_devices_and_says_what_there_is(request_: Any, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        best_devices(request_, SERVER)


@pytest.mark.parametrize(
    ("request_", "present", "chosen"),
    [
        (1, CPUS[:3], ["cpu:0"]),
        (3, (CPUS[1], CPUS[3]), ["cpu:1", "cpu:3", "cpu:0"]),
        (3, (CPUS[1],), ["cpu:1", "cpu:0", "cpu:2"]),
        (2, (Device("cpu", 0, 4),), ["cpu:0/4", "cpu:1/4"]),
        (2, CUDAS[:1], ["cuda:0", "cuda:1"]),
        (1, (CUDAS[0], CUDAS[0]), ["cuda:0"]),
        (None, CPUS[:1], ["cuda:0", "cuda:1"]),
        (["cpu:5"], CPUS[:1], ["cpu:5"]),
        (1, (CPUS[0], CUDAS[0]), ["cuda:0"]),
    ],
)
def test_a_resize_keeps_the_present_devices_where_it_can(
    request_: Any, present: tuple[Device, ...], chosen: list[str]
) -> None:
    assert names(next_devices(request_, present, SERVER)) == chosen


@pytest.mark.parametrize("request_", [0, -1, 3, []])
def test_refuses_to_resize_to_what_is_not_there(request_: Any) -> None:
    with pytest.raises(SpecError):
        next_devices(request_, CUDAS[:1], SERVER)


def test_remarks_on_more_threads_than_cores() -> None:
    assert list(device_remarks(CPUS, LAPTOP)) == []
    assert "8 threads, this machine has 4 cores" in next(device_remarks([Device("cpu", 0, 8)], LAPTOP))


def test_remarks_on_a_shared_device() -> None:
    assert "2 workers share cuda:0" in next(device_remarks([CUDAS[0]] * 2, SERVER))


def test_tells_kinds_apart() -> None:
    assert mixed_kinds(CPUS) is None
    assert mixed_kinds([CPUS[0], CUDAS[0]]) == "cpu and cuda"
