"""A device that a worker can own, and how people write it."""

import re
from dataclasses import dataclass
from typing import Literal, Self, get_args

from vfnb.ground import SpecError
from vfnb.spec.checks import check_count

Kind = Literal["cpu", "cuda", "mps", "xpu"]

_SLOWEST = 1000
_TEXT = re.compile(
    r"(?P<kind>[a-z]+)(?::(?P<index>\d+)(?:/(?P<threads>\d+))?)?(?:@1/(?P<slowdown>\d+(?:\.\d+)?)-simulated)?"
)


@dataclass(frozen=True, slots=True)
class Device:
    """One worker's device.

    A CPU device is a slot: a place for one worker with a fixed number of threads. One can be made to look slower, for
    demonstrations and tests: its passes then take longer, and its name says that they do.

    Args:
        kind: "cpu", "cuda", "mps" or "xpu".
        index: Which one of its kind, from 0; always 0 for "mps".
        threads: How many CPU threads the slot has; 1 for every other kind.
        slowdown: How many times longer the slot's passes are made to take; 1 for every real device.

    Raises:
        SpecError: If there can be no such device.
    """

    kind: Kind
    index: int
    threads: int = 1
    slowdown: float = 1.0

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise SpecError(f"kind={self.kind!r} is no kind of device; give one of {', '.join(get_args(Kind))}")
        check_count("index", self.index, least=0)
        check_count("threads", self.threads)
        if self.kind == "mps" and self.index != 0:
            raise SpecError(f"index={self.index} is not possible for mps; a machine has one, written 'mps'")
        if self.kind != "cpu" and self.threads != 1:
            raise SpecError(f"threads={self.threads} is only for CPU slots; leave it out for {self.kind}")
        if not 1 <= self.slowdown <= _SLOWEST:
            raise SpecError(f"slowdown={self.slowdown!r} is not possible; give a number from 1 to {_SLOWEST}")
        if self.kind != "cpu" and self.slowdown != 1:
            raise SpecError(f"only a CPU slot can be made to look slower, {self.kind} cannot; give one such as 'cpu:0'")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a device as people write it; `Device.parse(str(device)) == device`.

        Args:
            text: Such as "cpu:3", "cpu:0/4" (a slot of four threads), "cuda:1", "mps", or "cpu:1@1/4-simulated" (a slot
                made to look four times slower); no index means 0.

        Returns:
            The device.

        Raises:
            SpecError: If the text names no device.
        """
        match = _TEXT.fullmatch(text.strip().lower())
        if match is None or match["kind"] not in get_args(Kind):
            raise SpecError(f"{text!r} is no device; write it like 'cpu:0', 'cpu:0/4', 'cuda:1' or 'mps'")
        kind, index, threads = match["kind"], match["index"] or 0, match["threads"] or 1
        slowdown = float(match["slowdown"] or 1)
        return cls(kind, int(index), int(threads), slowdown)  # type: ignore[arg-type]  # it is one of the kinds

    @property
    def rounding(self) -> str:
        """How the device rounds, as far as its name tells: "cpu", "cpu/4", "cuda"; equal names may give equal bits."""
        return self.kind if self.threads == 1 else f"{self.kind}/{self.threads}"

    @property
    def remark(self) -> str:
        """What a name says of a device made to look slower, such as "@1/4-simulated"; empty for a real one."""
        return "" if self.slowdown == 1 else f"@1/{float(self.slowdown)!r}".removesuffix(".0") + "-simulated"

    def __str__(self) -> str:
        if self.kind == "mps":
            return "mps"
        slot = f"/{self.threads}" if self.threads != 1 else ""
        return f"{self.kind}:{self.index}{slot}{self.remark}"
