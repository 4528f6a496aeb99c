"""Playing a slower device: a pass is stretched to what a device so much slower would take. No bit depends on it.

The wait goes by the CPU time of the pass's own thread, so it does not grow with what else the machine does, and it
leaves the core to others. All of it is marked as simulated: in the device's name, or by an event.
"""

import time
from collections.abc import Callable

from vfnb.spec import Device, Event, Warned


class Stretch:
    """Stretches the passes of one worker.

    Args:
        device: Whose slowdown; None has none.
        tell: Where it is said that a script changes the speed; None says it nowhere.
    """

    def __init__(self, device: Device | None = None, tell: Callable[[Event], None] | None = None) -> None:
        self._device, self._tell = device, tell
        self._own = 1.0 if device is None else device.slowdown
        self._scripted = 1.0
        self._begun = 0.0

    def begin(self) -> None:
        """Note that a pass begins."""
        self._begun = time.thread_time()

    def end(self, scripted: float | None, step: int) -> None:
        """Wait for as long as a slower device would still compute.

        Args:
            scripted: How many times slower a script makes the device for now; None for not at all.
            step: The step being computed.
        """
        if (scripted or 1.0) != self._scripted:
            self._scripted = scripted or 1.0
            if self._tell is not None:
                self._tell(_changed(self._device, self._scripted, step))
        factor = self._own * self._scripted
        if factor > 1:
            spent = time.thread_time() - self._begun
            time.sleep((factor - 1) * spent)  # noqa: TID251  # a slower device is what is played


def _changed(device: Device | None, scripted: float, step: int) -> Warned:
    how = "at its own speed again" if scripted == 1 else f"{scripted:g} times slower"
    return Warned(step=step - 1, message=f"from step {step} on, {device} computes {how} (simulated by a script)")
