"""A loss as a sum and a weight, so that ragged virtual nodes still make the right mean."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Weighted:
    """What a loss may return instead of a mean.

    The step's loss is the sum of sums over the sum of weights, over all virtual nodes.

    Args:
        sum: The sum of losses, a scalar tensor that gradients flow through.
        weight: What it is a sum over (samples, tokens), a number or 0-d tensor >= 0.
    """

    sum: Any
    weight: Any
