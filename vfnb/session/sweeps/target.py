"""The value of a metric that runs are timed to."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vfnb.ground import SpecError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Target:
    """A value to reach.

    Args:
        metric: A column of a job's history.
        value: The value.
        lower: Whether it is reached from above.
    """

    metric: str
    value: float
    lower: bool

    def first_step(self, history: "pd.DataFrame") -> int | None:
        """Find the step after which it was reached first.

        Args:
            history: A run's.

        Returns:
            The step; None where it was not reached.
        """
        if self.metric not in history:
            return None
        column = history[self.metric]
        there = history["step"][column <= self.value if self.lower else column >= self.value]
        return None if there.empty else int(there.iloc[0])

    def __str__(self) -> str:
        return f"{self.metric} {self.value:g}"


def target_of(given: Any) -> Target | None:
    """Read a target.

    Args:
        given: None, or a metric and its value; as for `keep_best`, "-perplexity" is to fall, and so is any loss.

    Returns:
        The target.

    Raises:
        SpecError: If it is something else.
    """
    if given is None:
        return None
    match given:
        case (str() as name, int() | float() as value) if name.removeprefix("-"):
            metric = name.removeprefix("-")
            return Target(metric, float(value), lower=name.startswith("-") or metric.endswith("loss"))
        case _:
            raise SpecError(f"target={given!r} is no metric and value; give such as ('accuracy', 0.8)")
