"""The vote of a step: one small vector, combined over workers by an elementwise maximum.

Legend: K blocks, T parameters, F floating buffers. Each element is either a maximum proper (magnitudes, flags,
the newest order's number) or a slot that one worker alone fills, the others leaving it at minus infinity: a
maximum then carries its value unchanged. So every worker holds the same verdict, and no sum in it depends on
the mapping.
"""

from collections.abc import Sequence
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


_ORDER, _TROUBLE, _NOT_FINITE, _DIGEST, _MINUS_DIGEST, _HEAD = range(6)
_KINDS = ("", "buffer", "gradient", "loss")  # what may not be finite; the later one explains the earlier ones


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
        self._head[_NOT_FINITE] = 0.0
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

    def not_finite(self, node: int, what: str) -> None:
        """Say that something of a virtual node is not finite; a loss goes first, then the lowest node.

        Args:
            node: The first such node here.
            what: "loss", "gradient" or "buffer".
        """
        code = _KINDS.index(what) * (self._nodes + 1) + self._nodes - node
        self._head[_NOT_FINITE] = max(float(self._head[_NOT_FINITE]), float(code))

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
        kind, below = divmod(int(head[_NOT_FINITE]), self._nodes + 1)
        losses, weights = self.losses.tolist(), self.weights.tolist()
        return Verdict(
            order=int(head[_ORDER]),
            trouble=Trouble(int(head[_TROUBLE])),
            bad_node=self._nodes - below if kind else None,
            what=_KINDS[kind],
            drifted=head[_DIGEST] != -head[_MINUS_DIGEST],
            loss=fsum(loss for loss in losses if isfinite(loss)),
            weight=fsum(weight for weight in weights if isfinite(weight)),
            weights=[weight if isfinite(weight) else 0.0 for weight in weights],
            sqnorms=[norm if isfinite(norm) else 0.0 for norm in self.sqnorms.tolist()],
        )


def take_maxima(
    part: torch.Tensor, blocks: Sequence[int], found: Sequence[torch.Tensor], scale: float = 1.0
) -> int | None:
    """Take the blocks' largest magnitudes into a part of a ballot; here the device is waited for.

    Args:
        part: A ballot's largest magnitudes.
        blocks: Whose, at least one.
        found: A block's, as `absmaxes` gives them.
        scale: How much too large they are, a power of two.

    Returns:
        The first block with one that is not finite.
    """
    magnitudes = torch.stack(tuple(found)).cpu().double()
    magnitudes = torch.where(magnitudes > 0, magnitudes / scale, magnitudes)
    torch.maximum(part, magnitudes.amax(0), out=part)
    infinite = magnitudes.isinf().any(1).tolist()
    return next((block for block, bad in zip(blocks, infinite, strict=True) if bad), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the workers know together after the vote.

    Attributes:
        order: The newest order that any worker knows.
        trouble: The gravest.
        bad_node: The lowest virtual node with something that is not finite.
        what: That something; "" where all is.
        drifted: Whether the workers' states differ.
        loss: The sum of losses, correctly rounded.
        weight: The sum of weights, correctly rounded.
        weights: By block.
        sqnorms: By block, the squared norm of its gradient.
    """

    order: int
    trouble: Trouble
    bad_node: int | None
    what: str
    drifted: bool
    loss: float
    weight: float
    weights: list[float]
    sqnorms: list[float]
