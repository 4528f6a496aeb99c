"""A replica's gradient sums through a step: order-free and exact, or torch's own and fast.

Letters: T parameters. Inside a block gradients add up in `.grad`, in fp32 whatever the parameter's type: a
thousand small terms in bf16 would stop growing half way.
"""

from collections.abc import Sequence
from typing import Protocol

import torch

from vfnb.numerics import Capacities, absmaxes, order_free_sum
from vfnb.runtime.vote import Ballot, take_maxima

_SMALL = 1 << 16  # elements below which gradients share one collective

Parameters = dict[str, torch.nn.Parameter]


class Sums(Protocol):
    """What a step asks of either form."""

    def begin(self, capacities: Capacities) -> None:
        """Start a step, or start it again."""
        ...

    def end_pass(self) -> None:
        """Take in a pass's gradients where `.grad` cannot hold their sum."""
        ...

    def end_block(self, block: int, scale: float) -> None:
        """Take in a block's gradients, which are `scale` times too large."""
        ...

    def finish(self, ballot: Ballot) -> int | None:
        """Put magnitudes and norms on the ballot; answer the first block with a gradient that is not finite."""
        ...

    def tensors(self, ballot: Ballot) -> list[torch.Tensor]:
        """Give what is to be summed over workers."""
        ...

    def means_into_grads(self, ballot: Ballot, divisor: float) -> None:
        """Leave each touched parameter's mean gradient in its `.grad`, None in the others'."""
        ...


class ExactSums:
    """One contribution a block to an order-free sum.

    Args:
        parameters: T, by name.
        blocks: How many contributions a step makes.
        device: Where.
    """

    def __init__(self, parameters: Parameters, blocks: int, device: torch.device) -> None:
        self._parameters = list(parameters.values())
        self._wide = _Wide(self._parameters)
        self._sum = order_free_sum([one.shape for one in self._parameters], blocks, device=device)
        self._found: list[tuple[int, torch.Tensor, torch.Tensor]] = []
        self._scale = 1.0

    def begin(self, capacities: Capacities) -> None:
        """Start a step, or start it again.

        Args:
            capacities: The grids' capacities.
        """
        self._sum.begin_(capacities.exponents())
        self._found.clear()

    def end_pass(self) -> None:
        """Add low-precision parameters' gradients to sums of their own."""
        self._wide.take()

    def end_block(self, block: int, scale: float) -> None:
        """Round the block's gradients to the grid and add them; nothing waits for the device.

        Args:
            block: Its number.
            scale: The loss scaler's, a power of two.
        """
        gradients = self._wide.gradients()
        found = absmaxes(gradients)
        sqnorm = self._sum.add_all_with_sqnorm_(gradients, 1.0 / scale)
        self._found.append((block, found, sqnorm))
        self._scale = scale
        for one in self._parameters:
            one.grad = None
        self._wide.clear()

    def finish(self, ballot: Ballot) -> int | None:
        """Put magnitudes and norms on the ballot.

        Args:
            ballot: This worker's.

        Returns:
            The first block with a gradient that is not finite.
        """
        if not self._found:
            return None
        blocks, found, sqnorms = zip(*self._found, strict=True)
        ballot.sqnorms[list(blocks)] = torch.stack(sqnorms).nan_to_num().cpu()
        return take_maxima(ballot.absmax, blocks, found, self._scale)

    def tensors(self, ballot: Ballot) -> list[torch.Tensor]:
        """Give the flat accumulator.

        Args:
            ballot: Not used here.

        Returns:
            It alone.
        """
        return [self._sum.flat]

    def means_into_grads(self, ballot: Ballot, divisor: float) -> None:
        """Leave each touched parameter's mean gradient in its `.grad`.

        Args:
            ballot: The verdict's: who was touched.
            divisor: The total weight.
        """
        for one, touched in zip(self._parameters, ballot.touched(), strict=True):
            one.grad = torch.empty_like(one) if touched else None
        self._sum.means_into([one.grad for one in self._parameters], divisor)


class NativeSums:
    """Gradients stay in `.grad` over all of a worker's blocks and are summed once, in fp32.

    Args:
        parameters: T, by name.
    """

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = list(parameters.values())
        self._wide = _Wide(self._parameters)
        self._flat: torch.Tensor | None = None
        self._small: list[torch.Tensor] = []
        self._sums: list[torch.Tensor | None] = []

    def begin(self, capacities: Capacities) -> None:
        """Start a step, or start it again.

        Args:
            capacities: Not used here.
        """
        self._wide.clear()

    def end_pass(self) -> None:
        """Add low-precision parameters' gradients to sums of their own."""
        self._wide.take()

    def end_block(self, block: int, scale: float) -> None:
        """Do nothing: blocks add up in `.grad`.

        Args:
            block: Not used here.
            scale: Not used here.
        """

    def finish(self, ballot: Ballot) -> int | None:
        """Put on the ballot who has a gradient.

        Args:
            ballot: This worker's.

        Returns:
            None: whether sums are finite shows once they are added up.
        """
        for place, gradient in enumerate(self._wide.gradients()):
            if gradient is not None:
                ballot.absmax[place] = 0.0
        return None

    def tensors(self, ballot: Ballot) -> list[torch.Tensor]:
        """Give the gradients: large ones as they are, small ones side by side in one.

        Args:
            ballot: The verdict's: who was touched anywhere.

        Returns:
            What is to be summed in place.
        """
        pairs = zip(self._parameters, self._wide.gradients(), ballot.touched(), strict=True)
        self._sums = [
            None if not touched else torch.zeros_like(one, dtype=torch.float32) if gradient is None else gradient
            for one, gradient, touched in pairs
        ]
        present = [one for one in self._sums if one is not None]
        self._small = [one for one in present if one.numel() < _SMALL]
        large = [one for one in present if one.numel() >= _SMALL]
        self._flat = torch.cat([one.reshape(-1) for one in self._small]) if self._small else None
        return large if self._flat is None else [*large, self._flat]

    def means_into_grads(self, ballot: Ballot, divisor: float) -> None:
        """Leave each touched parameter's mean gradient in its `.grad`.

        Args:
            ballot: Not used here.
            divisor: The total weight.
        """
        if self._flat is not None:
            parts = self._flat.split([one.numel() for one in self._small])
            for one, part in zip(self._small, parts, strict=True):
                one.copy_(part.view_as(one))
        present = [one for one in self._sums if one is not None]
        if present:
            torch._foreach_div_(present, divisor)  # torch's own optimizers use it
        for one, total in zip(self._parameters, self._sums, strict=True):
            one.grad = None if total is None else total.to(one.dtype)
        # Held on to, they would be a second copy of every gradient through the next step.
        self._flat, self._small, self._sums = None, [], []
        self._wide.clear()


class _Wide:
    """Sums in fp32 of the gradients of parameters in a lower precision; other gradients stay in `.grad`."""

    def __init__(self, parameters: Sequence[torch.nn.Parameter]) -> None:
        self._parameters = parameters
        self._narrow = [place for place, one in enumerate(parameters) if one.dtype in (torch.bfloat16, torch.float16)]
        self._sums: dict[int, torch.Tensor] = {}

    def take(self) -> None:
        for place in self._narrow:
            gradient = self._parameters[place].grad
            if gradient is None:
                continue
            if place in self._sums:
                self._sums[place].add_(gradient)
            else:
                self._sums[place] = gradient.float()
            self._parameters[place].grad = None

    def gradients(self) -> list[torch.Tensor | None]:
        found = [one.grad for one in self._parameters]
        for place, total in self._sums.items():
            found[place] = total
        return found

    def clear(self) -> None:
        self._sums.clear()
