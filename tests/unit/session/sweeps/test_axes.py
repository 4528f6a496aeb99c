import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vfnb.ground import SpecError
from vfnb.session.sweeps.axes import Cell, Point, points_of

words = st.text(st.characters(codec="ascii", categories=["L", "N"], include_characters="._- "), min_size=1, max_size=8)
values = st.one_of(st.booleans(), st.integers(-99, 99), st.floats(allow_nan=False, width=32), words)


@given(
    batches=st.lists(st.integers(1, 10**6), min_size=1, max_size=4),
    seeds=st.lists(st.integers(0, 99), min_size=1, max_size=4),
    grid=st.dictionaries(st.sampled_from(["lr", "rule", "net"]), st.lists(values, min_size=1, max_size=3), max_size=2),
)
def test_every_combination_is_a_point_once_with_a_directory_of_its_own(
    batches: list[int], seeds: list[int], grid: dict[str, list[bool | int | float | str]]
) -> None:
    try:
        points = points_of(batches, seeds, grid)
    except SpecError as error:
        assert "two runs would be kept as" in str(error)  # noqa: PT017  # 1 and "1" are one word
        return

    combinations = len(set(batches)) * len(set(seeds))
    for axis in grid.values():
        combinations *= len(dict.fromkeys(axis))
    assert len(points) == len({point.name for point in points}) == combinations


def test_a_whole_picture_is_there_before_the_second_seed() -> None:
    points = points_of([8, 16], [0, 1], {"lr": [0.1, 0.2]})

    assert [point.seed for point in points] == [0] * 4 + [1] * 4


def test_a_point_is_said_and_kept_in_words() -> None:
    point = Point(Cell(4096, (("lr", 0.1), ("rule", True))), 3)

    assert str(point) == "batch 4,096, lr 0.1, rule True, seed 3"
    assert point.name == "batch-4096-seed-3-lr-0.1-rule-True"


def test_a_text_that_stands_alone_needs_no_name() -> None:
    assert str(Cell(8, (("optimizer", "adamw"),))) == "batch 8, adamw"
    assert str(Cell(8, (("optimizer", "adamw"), ("rule", "linear")))) == "batch 8, optimizer adamw, rule linear"


def test_numbers_of_numpy_are_plain_numbers() -> None:
    (point,) = points_of(np.array([32]), np.arange(1), {"lr": np.array([0.5], dtype=np.float32)})

    assert point.name == "batch-32-seed-0-lr-0.5"


@pytest.mark.parametrize(
    ("axes", "says"),
    [
        (([], [0], None), "batches is empty"),
        ((32, [0], None), r"batches=32 is no list; give one, such as batches=\[32\]"),
        (([0], [0], None), "batches has 0; give whole numbers of at least 1"),
        (([8], [-1], None), "seeds has -1; give whole numbers of at least 0"),
        (([8.5], [0], None), r"batches has 8\.5"),
        (([True], [0], None), "batches has True"),
        (([8], [0], [1]), "names no axes"),
        (([8], [0], {"lr": 0.1}), r"lr=0\.1 is no list"),
        (([8], [0], {"lr": []}), "lr is empty"),
        (([8], [0], {"seed": [1]}), "grid has 'seed', which a sweep's table has already"),
        (([8], [0], {"learning rate": [1]}), "cannot name an argument"),
        (([8], [0], {"net": [object()]}), "which no table can hold"),
        (([8], [0], {"rule": [True, "True"]}), "two runs would be kept as 'batch-8-seed-0-rule-True'"),
        (([8], [0], {"net": ["a/b"]}), "cannot be part of a directory's name"),
    ],
)
def test_an_axis_that_cannot_be_is_refused_in_a_sentence(axes: tuple[object, ...], says: str) -> None:
    with pytest.raises(SpecError, match=says):
        points_of(*axes)
