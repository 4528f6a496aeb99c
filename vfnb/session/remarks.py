"""What a choice of devices makes worth saying, as events."""

from collections.abc import Iterator, Sequence

from vfnb.session.choice import device_remarks, mixed_kinds
from vfnb.spec import Device, Event, NotGuaranteed, Warned


def remarks_on(chosen: Sequence[Device], here: Sequence[Device], step: int) -> Iterator[Event]:
    """Say what is unusual about the devices that a job is to train on.

    Args:
        chosen: The devices.
        here: What this machine has.
        step: The newest committed step.

    Yields:
        Warnings, and that the same bits are not promised.
    """
    for message in device_remarks(chosen, here):
        yield Warned(step=step, message=message)
    kinds = mixed_kinds(chosen)
    if kinds is not None:
        yield NotGuaranteed(
            step=step,
            what=f"devices of more than one kind ({kinds})",
            reason="each kind rounds in its own way, so the bits depend on which worker computes what",
        )
