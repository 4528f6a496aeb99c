"""Devices that look slower than they are, to show and to test what several speeds do on one machine."""

from dataclasses import replace

from vfnb.spec import Device


def slower(device: str | Device, times: float) -> Device:
    """Make a CPU slot look slower: its passes take as long as a device so many times slower would need.

    A pass is followed by a wait of `times - 1` times the CPU time that it took, which burns none; no bit differs.

    Args:
        device: A CPU slot, such as "cpu:1".
        times: How many times slower, from 1 to 1000; a slot that is slower already becomes this many times slower.

    Returns:
        The slot, to be given to a job among its devices; its name says what it is, as "cpu:1@1/4-simulated".
    """
    real = Device.parse(device) if isinstance(device, str) else device
    return replace(real, slowdown=real.slowdown * times)
