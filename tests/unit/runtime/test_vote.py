"""What blocks put on a ballot together."""

from math import inf

import torch

from vfnb.numerics import UNTOUCHED
from vfnb.runtime.vote import take_maxima


def test_a_part_takes_the_largest_of_all_blocks_and_of_what_it_held() -> None:
    part = torch.tensor([UNTOUCHED, 3.0, UNTOUCHED], dtype=torch.float64)
    found = [torch.tensor([8.0, 4.0, UNTOUCHED]), torch.tensor([2.0, 16.0, UNTOUCHED])]

    assert take_maxima(part, [4, 5], found, 4.0) is None
    assert part.tolist() == [2.0, 4.0, UNTOUCHED]


def test_the_first_block_that_is_not_finite_is_named() -> None:
    part = torch.full((2,), UNTOUCHED, dtype=torch.float64)
    found = [torch.tensor([1.0, 1.0]), torch.tensor([1.0, inf]), torch.tensor([inf, 1.0])]

    assert take_maxima(part, [2, 5, 7], found) == 5
    assert part.tolist() == [inf, inf]
