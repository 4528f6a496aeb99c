"""A replica's buffers through a step: their mean goes through an order-free sum as gradients do."""

from functools import partial

import torch

from vfnb.numerics import BufferMean, Capacities, absmaxes, order_free_sum
from vfnb.runtime.vote import Ballot, take_maxima


class Buffers:
    """`BufferMean` with its sum over blocks and workers.

    Args:
        model: The replica's.
        policy: "mean" or "first".
        blocks: How many contributions a step makes.
        device: Where.
    """

    def __init__(self, model: torch.nn.Module, policy: str, blocks: int, device: torch.device) -> None:
        self._mean = BufferMean(model, "first" if policy == "first" else "mean")
        self.names = self._mean.names
        self._new_sum = partial(order_free_sum, self._mean.shapes, blocks, device=device)
        self._sum = self._new_sum()
        self._found: list[tuple[int, torch.Tensor]] = []
        self._first = torch.empty(0)
        self._large: torch.Tensor | None = None

    def begin(self, capacities: Capacities) -> None:
        """Start a step, or start it again: the buffers as they stand are where every pass starts from.

        Args:
            capacities: The grids' capacities.
        """
        self._mean.snapshot_()
        self._sum.begin_(capacities.exponents())
        self._found.clear()

    def renew_sum(self) -> None:
        """Go on with a sum in memory of its own."""
        self._sum = self._new_sum()

    def restore(self) -> None:
        """Set the buffers back to the step's start."""
        self._mean.restore_()

    def end_pass(self, node: int, samples: int) -> None:
        """Take in what a pass has left.

        Args:
            node: Its first virtual node.
            samples: How many samples it had.
        """
        self._mean.add_(node, samples)

    def end_block(self, block: int) -> None:
        """Add the block's contribution.

        Args:
            block: Its number.
        """
        parts = self._mean.contributions()
        if self.names:
            self._found.append((block, absmaxes(parts)))
            self._sum.add_all_(parts)

    def finish(self, ballot: Ballot) -> int | None:
        """Put magnitudes on the ballot.

        Args:
            ballot: This worker's.

        Returns:
            The first block whose buffers are not finite.
        """
        if not self._found:
            return None
        blocks, found = zip(*self._found, strict=True)
        return take_maxima(ballot.buffer_absmax, blocks, found)

    def tensors(self) -> list[torch.Tensor]:
        """Give what is to be summed over workers.

        Returns:
            The mean's accumulator and virtual node 0's values, where there are any.
        """
        self._first = self._mean.first_bits()
        return [one for one in (self._sum.flat, self._first) if one.numel()]

    def large_tensors(self) -> list[torch.Tensor]:
        """Give what is to be summed in a second round, once the first is done: large buffers that node 0 changed.

        Returns:
            A tensor on every worker, or none on any.
        """
        self._large = self._mean.large_bits(self._first)
        return [] if self._large is None else [self._large]

    def apply(self, samples: int) -> None:
        """Set the buffers to the step's result.

        Args:
            samples: In the step's batch.
        """
        sums = [self._sum.sum_of(place) for place in range(len(self.names))]
        self._mean.commit_(sums, samples, self._first, self._large)
