"""What a job gives out of its hands when somebody else decides where it trains."""

from collections.abc import Callable
from dataclasses import dataclass

from vfnb.session.handle import Handle
from vfnb.spec import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Reins:
    """A job's devices, in another's hands.

    Attributes:
        devices: Those that it was made for.
        begin: Starts it on some of their kind.
        go_on_with: Resizes it, to none where none are given.
        let_go: Gives the job back to its user.
    """

    devices: tuple[Device, ...]
    begin: Callable[[tuple[Device, ...]], None]
    go_on_with: Callable[[tuple[Device, ...]], Handle]
    let_go: Callable[[], None]
