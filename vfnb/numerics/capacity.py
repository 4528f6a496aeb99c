"""How large a contribution each tensor's grid expects, from what recent committed steps have shown."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import torch
from torch import Tensor

HISTORY = 64  # committed steps: long enough for a schedule's warm-up, short enough to forget a spike
HEADROOM = 8  # exponents above the largest: a redo is rare; with 32 blocks q is 2^-37 of the largest
LOWEST = -100  # zero-initialised layers have no magnitude yet; lower and 1 / q would leave fp32's reach


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacities:
    """The capacity `A = 2^exponent` of each of `T` tensors, a value: every change gives a new one.

    Law: the capacities after a step are a function of the magnitudes of the last 64 committed steps (and of
    the trial before the first), hence equal on every worker, and a spike is forgotten with the steps that
    follow. Skipped steps do not count. Magnitudes are what `absmaxes` gives; a tensor that nobody touched
    counts as 0.
    """

    history: Tensor  # [64, T] int32: exponents of the powers of two above the largest magnitudes
    current: Tensor  # [T] int32: the exponents of the capacities
    steps: int = 0  # committed so far; the oldest row is the next to be written

    @classmethod
    def new(cls, tensors: int) -> Self:
        """Begin with no history and the lowest capacities; `raised` by a trial spares the first step a redo.

        Args:
            tensors: How many, `T`.

        Returns:
            The capacities.
        """
        return cls(
            history=torch.full((HISTORY, tensors), LOWEST - HEADROOM, dtype=torch.int32),
            current=torch.full((tensors,), LOWEST, dtype=torch.int32),
        )

    def exponents(self) -> Tensor:
        """Give the exponents of the capacities, `[T]` int32 on the CPU, each at least -100."""
        return self.current

    def exceeded(self, absmax: Tensor) -> Tensor:
        """Tell which tensors' contributions were too large for exact sums, so that the step is redone.

        Args:
            absmax: `[T]` the largest magnitudes of the whole step, over all workers.

        Returns:
            `[T]` bool on the CPU. A magnitude of `inf` exceeds everything: ask first whether to skip the
            step.
        """
        magnitudes = _on_cpu(absmax)
        finite = torch.isfinite(magnitudes)
        return ~finite | (_above(magnitudes.where(finite, 0.0)) > self.current)

    def raised(self, absmax: Tensor) -> Self:
        """Make room for a step that is redone, or for a trial; the history stays as it is.

        Args:
            absmax: `[T]` finite magnitudes.

        Returns:
            Capacities that are nowhere lower, and that these magnitudes do not exceed.
        """
        return replace(self, current=torch.maximum(self.current, _above(absmax) + HEADROOM))

    def committed(self, absmax: Tensor) -> Self:
        """Take in a step that counts.

        Args:
            absmax: `[T]` the largest magnitudes of the whole step, over all workers, finite.

        Returns:
            The capacities of the next step: 2^8 times the power of two above the largest of the last 64.
        """
        history = self.history.clone()
        history[self.steps % HISTORY] = _above(absmax)
        return replace(self, history=history, current=history.amax(0) + HEADROOM, steps=self.steps + 1)

    def state_dict(self) -> dict[str, Tensor]:
        """Give everything as tensors, for a checkpoint or a handover."""
        return {
            "history": self.history,
            "current": self.current,
            "steps": torch.tensor(self.steps, dtype=torch.int64),
        }

    @classmethod
    def from_state_dict(cls, state: Mapping[str, Tensor]) -> Self:
        """Make the capacities that gave a `state_dict`.

        Args:
            state: The tensors; they are copied.

        Returns:
            Capacities that go on as the original would.
        """
        return cls(
            history=state["history"].to("cpu", torch.int32, copy=True),
            current=state["current"].to("cpu", torch.int32, copy=True),
            steps=int(state["steps"]),
        )


def _above(absmax: Tensor) -> Tensor:
    """Give the exponents of the powers of two above magnitudes, no lower than the lowest capacity asks."""
    magnitudes = _on_cpu(absmax)
    assert bool(torch.isfinite(magnitudes).all()), "a step with a magnitude that is not finite is skipped"
    exponents = torch.frexp(magnitudes).exponent  # 2^(exponent - 1) <= magnitude < 2^exponent
    floor = LOWEST - HEADROOM
    return torch.where(magnitudes > 0, exponents.clamp_(min=floor), floor).to(torch.int32)


def _on_cpu(absmax: Tensor) -> Tensor:
    return absmax.detach().cpu().double()  # in this order: some devices have no fp64
