"""The gradient noise scale, B_simple of McCandlish et al. 2018 (arXiv 1812.06162), from norms at hand.

Letters: `S` is the trace of one sample's gradient covariance, `G2` the squared norm of the data set's own
gradient, `n` the samples of a block, `B` those of the step, `N` those of the data set.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Self

DECAY = 0.95
STEPS_NEEDED = 8  # below this the averages are a few steps' luck


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseScale:
    """A running estimate of the batch at which noise and gradient are of equal size.

    `S` and `G2` are averaged apart and divided last: the mean of their quotients is biased without bound, as
    `G2` comes near 0 while a job converges.
    """

    ema_s: float = 0.0
    ema_g2: float = 0.0
    count: int = 0

    def updated(
        self,
        block_sqnorms: Sequence[float],
        block_samples: Sequence[float],
        mean_sqnorm: float,
        samples: float,
        dataset_samples: float,
    ) -> Self:
        """Take in one committed step.

        Samples are drawn without replacement, so the mean of `n` of `N` varies by `S (1/n)(1 - n/N)`: the
        step's own norm is corrected by that and not by `S / B`, which over-subtracts once `B` nears `N`.

        Args:
            block_sqnorms: For each block the squared norm of the mean gradient of its samples.
            block_samples: For each block its samples `n`; blocks with none are left out.
            mean_sqnorm: The squared norm of the step's mean gradient.
            samples: The step's samples `B`.
            dataset_samples: The data set's samples `N`.

        Returns:
            The estimate with the step in it; unchanged where the step cannot tell (fewer than two blocks with
            samples, or a norm that is not finite).
        """
        blocks = [(norm, n) for norm, n in zip(block_sqnorms, block_samples, strict=True) if n > 0]
        if len(blocks) < 2:
            return self
        small_sqnorm = sum(norm for norm, _ in blocks) / len(blocks)
        small_inverse = sum(1 / n for _, n in blocks) / len(blocks)
        S = (small_sqnorm - mean_sqnorm) / (small_inverse - 1 / samples)
        G2 = mean_sqnorm - S * (1 / samples - 1 / dataset_samples)
        if not (isfinite(S) and isfinite(G2)):
            return self
        return type(self)(
            ema_s=DECAY * self.ema_s + (1 - DECAY) * S,
            ema_g2=DECAY * self.ema_g2 + (1 - DECAY) * G2,
            count=self.count + 1,
        )

    @property
    def s(self) -> float | None:
        """The average of `S`, corrected for having begun at 0; None before the first step."""
        return self.ema_s / (1 - DECAY**self.count) if self.count else None

    @property
    def g2(self) -> float | None:
        """The average of `G2`, corrected for having begun at 0; None before the first step."""
        return self.ema_g2 / (1 - DECAY**self.count) if self.count else None

    @property
    def value(self) -> float | None:
        """`S / G2` in samples; None while the steps are too few or an average is not above 0."""
        if self.count < STEPS_NEEDED or self.ema_g2 <= 0 or self.ema_s < 0:
            return None
        return self.ema_s / self.ema_g2  # the two corrections for the start are equal and cancel
