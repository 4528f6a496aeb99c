"""Scaling rules against the published tables; what they say where they cannot hold."""

import warnings

import pytest

from vfnb.ground import SpecError
from vfnb.papers import linear_rate, sqrt_rate


@pytest.mark.parametrize(("batch", "rate"), [(128, 0.05), (256, 0.1), (1024, 0.4), (8192, 3.2)])
def test_the_linear_rule_is_goyals_table(batch: int, rate: float) -> None:
    assert linear_rate(0.1, batch=batch, base_batch=256) == pytest.approx(rate)


@pytest.mark.parametrize("doublings", range(7))
def test_the_root_rule_is_lambs_table(doublings: int) -> None:
    rate = 5 / (2 ** (3 - doublings / 2) * 1e3)

    assert sqrt_rate(5 / 8e3, batch=512 * 2**doublings, base_batch=512) == pytest.approx(rate)


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        (lambda: linear_rate(0.1, batch=65536, base_batch=256), "linear rule .* 25.6 at batch 65,536, 256 times"),
        (lambda: linear_rate(0.02, batch=2048, base_batch=32), "linear rule .* 1.28 at batch 2,048, 64 times"),
        (lambda: sqrt_rate(3.2, batch=4096, base_batch=256), "square-root rule .* 12.8 at batch 4,096, 4 times"),
    ],
)
def test_an_absurd_rate_is_a_warning_with_the_number(scale: object, said: str) -> None:
    with pytest.warns(UserWarning, match=said):
        scale()  # type: ignore[operator]


def test_what_was_published_to_hold_is_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        assert linear_rate(0.1, batch=8192, base_batch=256) == pytest.approx(3.2)


def test_refuses_what_is_no_batch_and_no_rate() -> None:
    with pytest.raises(SpecError, match="base_batch=0 is no batch"):
        linear_rate(0.1, batch=1, base_batch=0)
    with pytest.raises(SpecError, match="rate=-1 is no learning rate"):
        sqrt_rate(-1, batch=1, base_batch=1)
