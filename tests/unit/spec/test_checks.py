"""The shared check of whole numbers."""

import pytest

from vfnb.ground import SpecError
from vfnb.spec.checks import check_count


@pytest.mark.parametrize("value", [0, -1, True, 1.0, "1", None])
def test_refuses_what_is_no_whole_number_from_one_on(value: object) -> None:
    with pytest.raises(SpecError, match=f"count={value!r} is not possible; give a whole number of at least 1"):
        check_count("count", value)


@pytest.mark.parametrize(("value", "least"), [(1, 1), (0, 0), (10**12, 1)])
def test_takes_any_number_from_the_least_on(value: int, least: int) -> None:
    check_count("count", value, least)
