from math import inf, nan

import pytest
import torch

from vfnb.numerics import NoiseScale


def simulated(blocks: list[int], dataset: int, steps: int, noise: float = 2.0, mean: float = 0.5) -> NoiseScale:
    """Draw batches without replacement from a data set of gradients whose own G2 and S are known."""
    generator = torch.Generator().manual_seed(1)
    gradients = torch.randn(dataset, 20, generator=generator, dtype=torch.float64) * noise
    gradients += mean - gradients.mean(0)
    scale = NoiseScale()
    for _ in range(steps):
        drawn = gradients[torch.randperm(dataset, generator=generator)[: sum(blocks)]]
        means = [part.mean(0) for part in drawn.split(blocks)]
        scale = scale.updated(
            [float(one.square().sum()) for one in means],
            blocks,
            float(drawn.mean(0).square().sum()),
            sum(blocks),
            dataset,
        )
    return scale


@pytest.mark.parametrize("blocks", [[4] * 8, [5, 5, 5, 4, 4, 4], [16, 16]])
def test_it_finds_the_noise_scale_of_a_known_distribution(blocks: list[int]) -> None:
    scale = simulated(blocks, dataset=4000, steps=400)

    assert scale.s == pytest.approx(20 * 4.0, rel=0.15)
    assert scale.g2 == pytest.approx(20 * 0.25, rel=0.25)
    assert scale.value == pytest.approx(16.0, rel=0.4)


def test_a_batch_that_is_the_whole_data_set_is_not_over_subtracted() -> None:
    scale = simulated([8] * 8, dataset=64, steps=50)

    assert scale.g2 == pytest.approx(20 * 0.25, rel=1e-9)


def test_the_first_step_is_corrected_for_having_begun_at_zero() -> None:
    scale = NoiseScale().updated([3.0, 3.0], [2, 2], 2.0, 4, 10**9)

    assert scale.s == pytest.approx((3.0 - 2.0) / (1 / 2 - 1 / 4))
    assert scale.g2 == pytest.approx(2.0 - 4.0 / 4)


def test_blocks_without_samples_are_left_out() -> None:
    with_idle = NoiseScale().updated([3.0, 5.0, 0.0], [2, 2, 0], 2.0, 4, 100)

    assert with_idle == NoiseScale().updated([3.0, 5.0], [2, 2], 2.0, 4, 100)


@pytest.mark.parametrize(
    ("norms", "samples"), [([3.0], [4]), ([3.0, 0.0], [4, 0]), ([inf, 1.0], [2, 2]), ([nan, 1.0], [2, 2])]
)
def test_a_step_that_cannot_tell_changes_nothing(norms: list[float], samples: list[int]) -> None:
    scale = NoiseScale(ema_s=1.0, ema_g2=2.0, count=3)

    assert scale.updated(norms, samples, 2.0, 4, 100) == scale


def test_there_is_no_value_before_enough_steps_nor_near_convergence() -> None:
    assert NoiseScale().value is None
    assert NoiseScale().s is None
    assert NoiseScale().g2 is None
    assert NoiseScale(ema_s=4.0, ema_g2=2.0, count=7).value is None
    assert NoiseScale(ema_s=4.0, ema_g2=2.0, count=8).value == 2.0
    assert NoiseScale(ema_s=4.0, ema_g2=-0.1, count=50).value is None
    assert NoiseScale(ema_s=4.0, ema_g2=0.0, count=50).value is None
    assert NoiseScale(ema_s=-4.0, ema_g2=1.0, count=50).value is None
