"""Devices as people write them."""

import pytest

from vfnb.ground import SpecError
from vfnb.spec import Device


@pytest.mark.parametrize(
    ("text", "device", "printed"),
    [
        ("cpu:0", Device("cpu", 0), "cpu:0"),
        ("cpu:0/4", Device("cpu", 0, 4), "cpu:0/4"),
        ("cpu:3/1", Device("cpu", 3), "cpu:3"),
        ("cuda:1", Device("cuda", 1), "cuda:1"),
        ("cuda", Device("cuda", 0), "cuda:0"),
        ("mps", Device("mps", 0), "mps"),
        ("mps:0", Device("mps", 0), "mps"),
        (" XPU:2 ", Device("xpu", 2), "xpu:2"),
        ("cpu:1@1/4-simulated", Device("cpu", 1, slowdown=4.0), "cpu:1@1/4-simulated"),
        ("cpu:1/2@1/2.5-simulated", Device("cpu", 1, 2, 2.5), "cpu:1/2@1/2.5-simulated"),
    ],
)
def test_reads_and_prints_a_device(text: str, device: Device, printed: str) -> None:
    assert Device.parse(text) == device
    assert str(device) == printed
    assert Device.parse(printed) == device


@pytest.mark.parametrize(
    "text", ["", "cpu:", "cpu:-1", "cpu:0/", "cpu/4", "cpu:a", "cpu:0:1", "0", "cpu 0", "cpu:1@1/4"]
)
def test_refuses_a_text_that_is_no_device(text: str) -> None:
    with pytest.raises(SpecError, match="is no device; write it like 'cpu:0'"):
        Device.parse(text)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("tpu:0", "'tpu:0' is no device"),
        ("gpu", "'gpu' is no device"),
        ("mps:1", "index=1"),
        ("cuda:0/2", "threads=2"),
        ("cpu:0/0", "threads=0"),
        ("cpu:0@1/0.5-simulated", "slowdown=0.5"),
        ("cuda:0@1/2-simulated", "only a CPU slot can be made to look slower"),
    ],
)
def test_refuses_a_device_that_cannot_be(text: str, what: str) -> None:
    with pytest.raises(SpecError, match=what):
        Device.parse(text)


@pytest.mark.parametrize("index", [-1, 0.5, True])
def test_refuses_an_index_that_is_none(index: int) -> None:
    with pytest.raises(SpecError, match=f"index={index} is not possible"):
        Device("cpu", index)
