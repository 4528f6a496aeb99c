"""The roll that a generation calls as its group has formed: what each worker says of itself, and who leads.

Devices of several kinds round differently, each in its own way. Where a generation has such, its lead computes the
update for all.
"""

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from vfnb.ground import TrainingError
from vfnb.numerics import has_fp64
from vfnb.runtime.group import Group
from vfnb.runtime.placement import torch_device
from vfnb.spec import Device, NotGuaranteed


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """What a worker says of itself.

    Attributes:
        row: The step whose row it holds, its last one; 0 for none.
        kind: How its device rounds.
        kinds: Of the devices that its state was computed on.
        fp64: Whether its device has that; sums travel in another form where it does not.
    """

    row: int = 0
    kind: str = ""
    kinds: tuple[str, ...] = ()
    fp64: bool = True


@dataclass(frozen=True, slots=True)
class Roll:
    """The members of a generation; every one of them holds the same roll.

    Attributes:
        members: By worker.
    """

    members: Mapping[int, Member]

    @property
    def lead(self) -> int:
        """The worker that speaks for all: the first one, on an accelerator where there is any."""
        return min(self.members, key=lambda worker: (self.members[worker].kind.startswith("cpu"), worker))

    @property
    def mixed(self) -> bool:
        """Whether devices of several kinds take part."""
        return len({member.kind for member in self.members.values()}) > 1

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of devices that took part in the run so far, these ones among them."""
        found = {kind for member in self.members.values() for kind in (member.kind, *member.kinds)}
        return tuple(sorted(found))

    @property
    def news(self) -> bool:
        """Whether no member knew yet that all of these kinds take part."""
        return all(set(member.kinds) != set(self.kinds) for member in self.members.values())

    def teller(self, step: int) -> int:
        """Choose who sends a step's row: a worker that took its state over from another does not have it.

        Args:
            step: The step that all have just finished.

        Returns:
            The lead, or another where only others hold the row.
        """
        holders = [worker for worker, member in self.members.items() if member.row == step]
        return min(holders, default=self.lead) if self.lead not in holders else self.lead


def call_roll(group: Group, workers: Sequence[int], member: Member) -> Roll:
    """Have every worker say who it is, and hear the others.

    Args:
        group: Of the generation.
        workers: Its members' ids, in the order of the group.
        member: What this one says.

    Returns:
        The roll.

    Raises:
        TrainingError: If their sums have not one form.
    """
    said = group.gather(pickle.dumps(member))
    roll = Roll(dict(zip(workers, map(pickle.loads, said), strict=True)))  # from our own group
    if len({member.fp64 for member in roll.members.values()}) > 1:
        narrow = sorted({member.kind for member in roll.members.values() if not member.fp64})
        raise TrainingError(
            f"{', '.join(narrow)} has no fp64 and sums in another form than the other devices; "
            "train on devices that all have it, or on this kind alone"
        )
    return roll


def member_on(device: Device, *, row: int, kinds: Sequence[str]) -> Member:
    """Say what a worker says of itself.

    Args:
        device: What it owns.
        row: The step whose row it holds.
        kinds: Of the devices that its state was computed on.

    Returns:
        The member.
    """
    return Member(row=row, kind=kind_of(device), kinds=tuple(kinds), fp64=has_fp64(torch_device(device)))


def kind_of(device: Device) -> str:
    """Tell how a device rounds: equal answers are equal bits.

    Args:
        device: This process's.

    Returns:
        A CPU slot's threads, a GPU's model.
    """
    if device.kind not in ("cuda", "xpu"):
        return device.rounding
    return f"{device.kind} {getattr(torch, device.kind).get_device_name(torch_device(device))}"


def not_guaranteed(kinds: Sequence[str], step: int) -> NotGuaranteed:
    """Say that a run was computed on several kinds of device.

    Args:
        kinds: Which.
        step: The newest committed step.

    Returns:
        The event.
    """
    return NotGuaranteed(
        step=step,
        what=f"devices of more than one kind ({', '.join(kinds)})",
        reason="each kind rounds in its own way, so the bits depend on which of them computes what",
    )
