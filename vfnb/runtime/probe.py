"""Named points of a worker's work, where a test's script may strike; silent in every real run.

The points, in the order a step meets them: "pass" (before each of the worker's passes, `detail` counts them
from 0), "before_vote", "after_vote", "in_sum" (others may be inside already), "before_commit", "after_commit",
"evaluation" (before each batch); between "before_commit" and "after_commit", where devices of several kinds take part,
"in_update" (the lead has computed the update and hands it on, the others receive it); and outside steps "handover"
(before state is written or read) and "regrouping" (before the group is formed).
"""

from typing import Protocol, runtime_checkable


@runtime_checkable
class Probe(Protocol):
    """What is called at each point."""

    def __call__(self, point: str, *, worker: int, step: int, detail: int = 0) -> float | None:
        """Do nothing, or strike.

        Args:
            point: One of the module's names.
            worker: The worker's id.
            step: The step being computed, from 1.
            detail: Which one, where a step meets the point more than once.

        Returns:
            At "pass", how many times slower the pass is to look; None, and elsewhere, as it is.
        """
        ...


def silent(point: str, *, worker: int, step: int, detail: int = 0) -> None:
    """Do nothing.

    Args:
        point: As in `Probe`.
        worker: As in `Probe`.
        step: As in `Probe`.
        detail: As in `Probe`.
    """
