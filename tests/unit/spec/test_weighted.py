"""Weighted: what a loss may return."""

from vfnb.spec import Weighted


def test_is_made_by_position_or_name_and_holds_anything() -> None:
    total = object()

    loss = Weighted(total, 3)

    assert loss == Weighted(sum=total, weight=3)
    assert loss.sum is total
