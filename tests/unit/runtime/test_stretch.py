"""A pass stretched to a slower device's time."""

import time

from vfnb.runtime.stretch import Stretch
from vfnb.spec import Device, Event


def _burn(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def test_a_pass_takes_the_slower_devices_time_and_no_more_of_the_cpu() -> None:
    stretch = Stretch(Device("cpu", 0, slowdown=2.0))
    begun, used = time.perf_counter(), time.thread_time()

    stretch.begin()
    _burn(0.02)
    stretch.end(2.0, step=1)

    assert time.perf_counter() - begun >= 4 * 0.02
    assert time.thread_time() - used < 2 * 0.02


def test_a_real_device_is_not_held_up() -> None:
    stretch = Stretch(Device("cpu", 0))
    held = []
    for _ in range(5):  # another process may take the core in one of them
        stretch.begin()
        _burn(0.01)
        begun = time.perf_counter()
        stretch.end(None, step=1)
        held.append(time.perf_counter() - begun)

    assert min(held) < 0.01


def test_a_script_that_changes_the_speed_is_told_of_once_each_way() -> None:
    told: list[Event] = []
    stretch = Stretch(Device("cpu", 1), told.append)

    for step, times in enumerate((None, 3.0, 3.0, None), start=1):
        stretch.begin()
        stretch.end(times, step)

    assert [(one.step, one.message) for one in told] == [
        (1, "from step 2 on, cpu:1 computes 3 times slower (simulated by a script)"),
        (3, "from step 4 on, cpu:1 computes at its own speed again (simulated by a script)"),
    ]
