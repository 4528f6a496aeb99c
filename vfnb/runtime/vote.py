"""The vote of a step: one small vector, combined over workers by an elementwise maximum.

Legend: K blocks, T parameters, F floating buffers. Each element is either a maximum proper (magnitudes, flags,
the newest order's number) or a slot that one worker alone fills, the others leaving it at minus infinity: a
maximum then carries its value unchanged. So every worker holds the same verdict, and no sum in it depends on
the mapping.
"""

from dataclasses import dataclass
from enum import IntEnum
from math import fsum, inf, isfinite

import torch

from vfnb.numerics import UNTOUCHED


class Trouble(IntEnum):
    """What kept a worker from computing its part, the gravest last."""

    NONE = 0
    MEMORY = 1
    ERROR = 2


_ORDER, _TROUBLE, _BAD_NODE, _DIGEST, _MINUS_DIGEST, _HEAD = range(6)


class Ballot:
    """One worker's vote, then the verdict of all.

    Args:
        blocks: K.
        parameters: T.
        buffers: F.
        nodes: How many virtual nodes there are.
    """

    def __init__(self, blocks: int, parameters: int, buffers: int, nodes: int) -> None:
        sizes = (_HEAD, blocks, blocks, blocks, parameters, buffers)
        self.vector = torch.full((sum(sizes),), -inf, dtype=torch.float64)
        self._head, self.losses, self.weights, self.sqnorms, self.absmax, self.buffer_absmax = self.vector.split(sizes)
        self.absmax.fill_(UNTOUCHED)
        self.buffer_absmax.fill_(UNTOUCHED)
        self._head[_ORDER] = 0.0
        self._head[_TROUBLE] = float(Trouble.NONE)
        self._head[_BAD_NODE] = 0.0
        self._nodes = nodes

    def vote(self, order: int, digest: float) -> None:
        """Say which order is known and what the state looks like.

        Args:
            order: The newest order's number.
            digest: Of a slice of the state; equal on all workers or they have drifted apart.
        """
        self._head[_ORDER] = order
        self._head[_DIGEST] = digest
        self._head[_MINUS_DIGEST] = -digest

    def trouble(self, what: Trouble) -> None:
        """Say that this worker could not compute its part.

        Args:
            what: Why.
        """
        self._head[_TROUBLE] = float(what)

    def not_finite(self, node: int) -> None:
        """Say that a virtual node's loss or gradient is not finite; the lowest node wins.

        Args:
            node: The first such node here.
        """
        self._head[_BAD_NODE] = max(float(self._head[_BAD_NODE]), float(self._nodes - node))

    @property
    def finite(self) -> bool:
        """Whether no virtual node here was found to be not finite."""
        return float(self._head[_BAD_NODE]) == 0.0

    def touched(self) -> list[bool]:
        """Tell which parameters got a gradient in any virtual node, once the vectors are combined.

        Returns:
            A flag a parameter.
        """
        flags: list[bool] = (self.absmax > UNTOUCHED).tolist()
        return flags

    def verdict(self) -> "Verdict":
        """Read what all workers said, once the vectors are combined.

        Returns:
            The verdict, the same everywhere.
        """
        head = self._head.tolist()
        losses, weights = self.losses.tolist(), self.weights.tolist()
        return Verdict(
            order=int(head[_ORDER]),
            trouble=Trouble(int(head[_TROUBLE])),
            bad_node=self._nodes - int(head[_BAD_NODE]) if head[_BAD_NODE] > 0 else None,
            drifted=head[_DIGEST] != -head[_MINUS_DIGEST],
            loss=fsum(loss for loss in losses if isfinite(loss)),
            weight=fsum(weight for weight in weights if isfinite(weight)),
            weights=[weight if isfinite(weight) else 0.0 for weight in weights],
            sqnorms=[norm if isfinite(norm) else 0.0 for norm in self.sqnorms.tolist()],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the workers know together after the vote.

    Attributes:
        order: The newest order that any worker knows.
        trouble: The gravest.
        bad_node: The lowest virtual node whose loss or gradient is not finite.
        drifted: Whether the workers' states differ.
        loss: The sum of losses, correctly rounded.
        weight: The sum of weights, correctly rounded.
        weights: By block.
        sqnorms: By block, the squared norm of its gradient.
    """

    order: int
    trouble: Trouble
    bad_node: int | None
    drifted: bool
    loss: float
    weight: float
    weights: list[float]
    sqnorms: list[float]
