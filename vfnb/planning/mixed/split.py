"""A way to split a step between kinds of devices, what it takes, and how it reads."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What the devices of one kind do.

    Attributes:
        kind: The kind.
        available: How many devices there are.
        batch: The samples of a virtual node; 0 where the kind is idle and has none.
        nodes: The virtual nodes of each device that works.
        pass_seconds: The time of one node's pass.
    """

    kind: str
    available: int
    batch: int
    nodes: tuple[int, ...]
    pass_seconds: float

    @property
    def seconds(self) -> float:
        """How long the slowest of them takes."""
        return max(self.nodes, default=0) * self.pass_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A step split between kinds of devices.

    Attributes:
        rule: The rule it was found by: "equal", "integer" or "power-of-two"; "given" where it was not found but priced.
        batch: The global batch.
        parts: One a kind.
        communication: What the step takes beside its passes, in seconds; 0 for one device.
        single: The best split that uses one kind alone; None where there is none, or this is it.
        remarks: What a reader should know.
    """

    rule: str
    batch: int
    parts: tuple[Part, ...]
    communication: float = 0.0
    single: "Split | None" = None
    remarks: tuple[str, ...] = ()

    @property
    def devices(self) -> int:
        """How many devices work."""
        return sum(len(part.nodes) for part in self.parts)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that work."""
        return tuple(part.kind for part in self.parts if part.nodes)

    @property
    def step_seconds(self) -> float:
        """The predicted time of a step."""
        return max(part.seconds for part in self.parts) + self.communication

    @property
    def samples_per_second(self) -> float:
        """The predicted rate."""
        return self.batch / self.step_seconds

    @property
    def gain(self) -> float | None:
        """How many times as fast as the best single kind it is."""
        return self.single.step_seconds / self.step_seconds if self.single is not None else None

    @property
    def node_sizes(self) -> tuple[int, ...]:
        """The samples of each virtual node, device by device, as `Options(node_sizes=...)` takes them."""
        return tuple(part.batch for part in self.parts for _ in range(sum(part.nodes)))

    def remarked(self, *remarks: str) -> Self:
        """Give the same split with more remarks.

        Args:
            *remarks: The remarks; empty ones are left out.

        Returns:
            The split.
        """
        return replace(self, remarks=(*self.remarks, *(one for one in remarks if one)))

    def busy(self, part: Part) -> tuple[float, ...]:
        """Tell which share of the step each working device of a part computes.

        Args:
            part: The part.

        Returns:
            The shares, from 0 to 1.
        """
        return tuple(number * part.pass_seconds / self.step_seconds for number in part.nodes)

    def plain(self) -> dict[str, Any]:
        """Give all of it as plain values for JSON.

        Returns:
            The values.
        """
        single = None if self.single is None else _said(self.single) | {"kind": self.single.kinds[0]}
        return _said(self) | {
            "rule": self.rule,
            "batch": self.batch,
            "best_single_kind": single,
            "gain": self.gain,
            "remarks": list(self.remarks),
        }

    def __str__(self) -> str:
        lines = [
            f"{self.samples_per_second:,.1f} samples/s: {self.step_seconds:.4g} s a step of {self.batch:,} samples"
        ]
        lines += [_line(part, self.busy(part)) for part in self.parts]
        lines.append(f"  communication: {self.communication:.4g} s a step")
        if self.single is not None and self.gain is not None and self.kinds != self.single.kinds:
            lines.append(f"  {self.gain:.3f} times as fast as {named(self.single)}, the best of one kind")
        return "\n".join([*lines, *(f"  note: {one}" for one in self.remarks)])


def named(split: Split) -> str:
    """Name a split's working devices and their rate.

    Args:
        split: The split.

    Returns:
        Such as "2 V100 alone (1,795.3 samples/s)".
    """
    who = " and ".join(f"{len(part.nodes)} {part.kind}" for part in split.parts if part.nodes)
    return f"{who} alone ({split.samples_per_second:,.1f} samples/s)"


def _said(split: Split) -> dict[str, Any]:
    devices: Mapping[str, Any] = {
        part.kind: {
            "count": len(part.nodes),
            "available": part.available,
            "batch": part.batch,
            "nodes": list(part.nodes),
            "busy": list(split.busy(part)),
        }
        for part in split.parts
    }
    return {
        "samples_per_second": split.samples_per_second,
        "step_seconds": split.step_seconds,
        "communication_seconds": split.communication,
        "devices": devices,
    }


def _line(part: Part, busy: tuple[float, ...]) -> str:
    if not part.nodes:
        return f"  {part.kind}: idle ({part.available} there)"
    least, most = min(part.nodes), max(part.nodes)
    nodes = f"{most}" if least == most else f"{least} to {most}"
    share = f"{min(busy):.0%}" if least == most else f"{min(busy):.0%} to {max(busy):.0%}"
    who = f"{part.kind}: {len(part.nodes)} of {part.available}"
    return f"  {who}, each {nodes} nodes of {part.batch} samples, busy {share}"
