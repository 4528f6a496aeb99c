"""Seats: at home where there is room."""

import pytest

from vfnb.planning.seats import pairs, seat


def test_blocks_stay_at_home_as_far_as_there_is_room() -> None:
    seated = seat(range(5), {0: 2, 3: 3}, {0: 0, 1: 0, 2: 0, 3: 3, 4: 9})

    assert seated == {0: [0, 1], 3: [3, 2, 4]}


def test_room_for_another_number_of_blocks_is_our_own_fault() -> None:
    with pytest.raises(AssertionError, match="room for 3 blocks where 2 need one"):
        seat(range(2), {0: 3}, {})


def test_seatings_are_joined_by_worker() -> None:
    assert pairs({1: [4], 0: [2]}, {1: [0], 2: [1]}) == ((0, (2,)), (1, (4, 0)), (2, (1,)))
