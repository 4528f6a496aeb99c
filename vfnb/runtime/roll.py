"""The roll that a generation calls as its group has formed: what each worker says of itself, and who speaks for all."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from vfnb.runtime.group import Group


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """What a worker says of itself.

    Attributes:
        row: The step whose row it holds, its last one; 0 for none.
    """

    row: int = 0


@dataclass(frozen=True, slots=True)
class Roll:
    """The members of a generation; every one of them holds the same roll.

    Attributes:
        members: By worker.
    """

    members: Mapping[int, Member]

    @property
    def lead(self) -> int:
        """The worker that speaks for all: the one with the lowest id."""
        return min(self.members)

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
    """
    said = group.gather(json.dumps(asdict(member)).encode())
    return Roll({worker: Member(**json.loads(one)) for worker, one in zip(workers, said, strict=True)})
