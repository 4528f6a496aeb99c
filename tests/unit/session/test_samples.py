import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from vfnb.session.samples import field_digests, read_samples, spread


@dataclass
class Sample:
    image: torch.Tensor
    label: int


class Image:
    """Has what PIL's images have."""

    mode, size = "L", (2, 2)

    def __init__(self, pixels: bytes) -> None:
        self.pixels = pixels

    def tobytes(self) -> bytes:
        return self.pixels


@pytest.mark.parametrize(
    ("sample", "fields"),
    [
        (torch.ones(2), {""}),
        ((torch.ones(2), 3), {"len", "0", "1"}),
        ({"image": [1, 2.5], "name": "x"}, {"len", "image.len", "image.0", "image.1", "name"}),
        (Sample(image=torch.ones(2), label=1), {"len", "image", "label"}),
    ],
)
def test_a_sample_is_taken_apart_into_named_fields(sample: Any, fields: set[str]) -> None:
    assert set(field_digests(sample)) == fields


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (torch.tensor([1.0]), torch.tensor([1.0 + 2**-23])),
        (torch.ones(2), torch.ones(1, 2)),
        (np.ones(2), np.ones(2, dtype=np.float32)),
        (np.array([1, 2]), np.array([2, 1])),
        (np.float64(1.0), np.float64(2.0)),
        (b"a", b"b"),
        (Image(b"abcd"), Image(b"abce")),
        ((1, 2), (1, 2, 3)),
        (0.5, 0.25),
        ("a", "b"),
        (object(), "object"),
    ],
)
def test_different_samples_have_different_digests(one: Any, other: Any) -> None:
    assert field_digests(one) == field_digests(one)
    assert field_digests(one) != field_digests(other)


def test_a_sample_that_holds_itself_ends() -> None:
    sample: list[Any] = [1]
    sample.append(sample)

    assert "0" in field_digests(sample)


def test_of_unknown_objects_the_type_counts() -> None:
    assert field_digests({1: object()}) == field_digests({1: object()})


class Noisy:
    """Draws from every global generator."""

    def __len__(self) -> int:
        return 10

    def __getitem__(self, index: int) -> Any:
        return torch.rand(1), random.random(), np.random.rand()  # noqa: NPY002  # what users' data sets do


def test_samples_are_read_under_seeds_whatever_the_order() -> None:
    forward, backward = read_samples(Noisy(), [1, 2, 3]), read_samples(Noisy(), [3, 2, 1])

    assert forward == backward
    assert forward[1] != forward[2]


def test_reading_leaves_the_global_generators_alone() -> None:
    before = torch.get_rng_state(), random.getstate()

    read_samples(Noisy(), [1])

    assert torch.equal(torch.get_rng_state(), before[0])
    assert random.getstate() == before[1]


@pytest.mark.parametrize(("samples", "chosen"), [(1, (0,)), (2, (0, 1)), (3, (0, 1, 2)), (100, (0, 33, 66, 99))])
def test_a_few_samples_are_all_over_the_data_set(samples: int, chosen: tuple[int, ...]) -> None:
    assert spread(samples, 4) == chosen
