"""At which steps a run's row carries a fingerprint: as many as cost less than a hundredth of the training time.

The steps are multiples of a power of two, so that two runs of one job that were paced differently still have
the fingerprints of the slower one in common.
"""

from dataclasses import dataclass
from math import ceil, log2

_SHARE = 0.01
_WIDEST = 2**20


@dataclass(slots=True)
class Pace:
    """How often the worker that reports takes a fingerprint.

    Attributes:
        every: What the user asked for; None follows the costs.
        spacing: Steps between two, where it follows the costs.
    """

    every: int | None = None
    spacing: int = 1

    def due(self, step: int, last: int) -> bool:
        """Tell whether a step's row carries a fingerprint.

        Args:
            step: The step.
            last: The run's last step, whose row always does.

        Returns:
            Whether it does.
        """
        return step == last or step % (self.every or self.spacing) == 0

    def learn(self, cost: float, step: float) -> None:
        """Widen or narrow the spacing.

        Args:
            cost: Seconds that a fingerprint took.
            step: Seconds that a step took.
        """
        self.spacing = spacing(cost, step)


def spacing(cost: float, step: float) -> int:
    """Find the steps between two fingerprints.

    Args:
        cost: Seconds that a fingerprint takes.
        step: Seconds that a step takes.

    Returns:
        The smallest power of two of steps of which the cost is at most a hundredth.
    """
    if step <= 0:
        return 1
    wanted = cost / (_SHARE * step)
    return min(_WIDEST, 2 ** max(0, ceil(log2(wanted)))) if wanted > 1 else 1
