"""What a choice of devices makes worth saying, as events; and saying it aloud."""

import logging
from collections.abc import Iterator, Sequence

from vfnb.session.choice import device_remarks, mixed_kinds
from vfnb.spec import Device, Event, NotGuaranteed, Warned

_logger = logging.getLogger("vfnb")


def remarks_on(chosen: Sequence[Device], here: Sequence[Device], step: int) -> Iterator[Event]:
    """Say what is unusual about the devices that a job is to train on.

    Args:
        chosen: The devices.
        here: What this machine has.
        step: The newest committed step.

    Yields:
        Warnings.
    """
    for message in device_remarks(chosen, here):
        yield Warned(step=step, message=message)
    kinds = mixed_kinds(chosen)
    if kinds is not None:
        yield Warned(
            step=step,
            message=f"{kinds} round differently: samples, seeds and steps stay the same, the result is equal up to "
            "rounding; one of them computes each update and the others copy it",
        )


def say(event: Event, name: str) -> None:
    """Say a warning aloud.

    Args:
        event: Any; only a warning, or that the same bits are not promised, is said.
        name: Of the run that it is about.
    """
    match event:
        case Warned(message=message):
            _logger.warning("%s: %s", name, message)
        case NotGuaranteed(what=what, reason=reason):
            _logger.warning("%s: the same bits are not promised: %s (%s)", name, what, reason)
        case _:
            pass
