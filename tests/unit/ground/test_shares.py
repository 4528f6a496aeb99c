"""Shares: whole, even, and the lowest first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vfnb.ground import SpecError, even_shares, share_range


@pytest.mark.parametrize(
    ("total", "parts", "shares"),
    [(10, 3, (4, 3, 3)), (9, 3, (3, 3, 3)), (2, 4, (1, 1, 0, 0)), (0, 2, (0, 0))],
)
def test_the_lowest_parts_get_the_extras(total: int, parts: int, shares: tuple[int, ...]) -> None:
    assert even_shares(total, parts) == shares


@given(total=st.integers(0, 5000), parts=st.integers(1, 300))
def test_shares_are_whole_and_differ_by_at_most_one(total: int, parts: int) -> None:
    shares = even_shares(total, parts)

    assert len(shares) == parts
    assert sum(shares) == total
    assert max(shares) - min(shares) <= 1
    assert list(shares) == sorted(shares, reverse=True)


@given(total=st.integers(0, 2000), parts=st.integers(1, 100))
def test_ranges_have_the_shares_sizes_and_cover_everything_once_in_order(total: int, parts: int) -> None:
    ranges = [share_range(total, parts, part) for part in range(parts)]

    assert tuple(len(one) for one in ranges) == even_shares(total, parts)
    assert [position for one in ranges for position in one] == list(range(total))


@pytest.mark.parametrize(("total", "parts"), [(1, 0), (1, -2), (-1, 1)])
def test_refuses_what_cannot_be_shared(total: int, parts: int) -> None:
    with pytest.raises(SpecError, match=r"=-?\d+ cannot"):
        even_shares(total, parts)
    with pytest.raises(SpecError, match=r"=-?\d+ cannot"):
        share_range(total, parts, 0)


@pytest.mark.parametrize("part", [-1, 3])
def test_refuses_a_part_that_is_not_there(part: int) -> None:
    with pytest.raises(SpecError, match=f"part={part} .* use 0 to 2"):
        share_range(9, 3, part)
