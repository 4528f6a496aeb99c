from collections.abc import Iterator
from typing import Any

import pytest
import torch
from session_doubles import pairs
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    Subset,
    WeightedRandomSampler,
)

from vfnb.ground import SpecError
from vfnb.session.data import collated, data_of


class Stream(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        return iter(range(3))


class Unmeasured(Dataset[int]):
    def __getitem__(self, index: int) -> int:
        return index


def first(samples: list[Any]) -> Any:
    return samples[0]


def last(samples: list[Any]) -> Any:
    return samples[-1]


@pytest.mark.parametrize("data", [pairs(), [1, 2, 3], Subset(pairs(), [0, 5]), torch.arange(4)])
def test_takes_whatever_has_a_length_and_gives_samples_by_index(data: Any) -> None:
    taken = data_of(data, "train")

    assert taken.source.dataset is data
    assert taken.source.shuffle
    assert taken.source.collate is None


def test_takes_a_loaders_data_set_collate_and_processes() -> None:
    data = pairs()

    taken = data_of(DataLoader(data, batch_size=4, shuffle=True, collate_fn=first, num_workers=2), "train")

    assert taken.source.dataset is data
    assert taken.source.collate is first
    assert taken.source.shuffle
    assert taken.loader_workers == 2


def test_torchs_own_collate_is_no_choice_of_the_users() -> None:
    assert data_of(DataLoader(pairs()), "train").source.collate is None


def test_a_loader_that_does_not_shuffle_keeps_the_order() -> None:
    assert not data_of(DataLoader(pairs(), batch_size=4), "train").source.shuffle


@pytest.mark.parametrize(
    ("loader", "named"),
    [
        (DataLoader(pairs(), sampler=WeightedRandomSampler([1.0] * 24, 24)), "WeightedRandomSampler"),
        (DataLoader(pairs(), sampler=RandomSampler(pairs(), replacement=True)), "RandomSampler"),
        (DataLoader(pairs(), sampler=RandomSampler(pairs(), num_samples=5)), "num_samples=5"),
        (
            DataLoader(pairs(), batch_sampler=BatchSampler(SequentialSampler(pairs()), 2, False)),
            "BatchSampler",
        ),
        (DataLoader(pairs(), batch_size=None), "batch_size=None"),
    ],
)
def test_refuses_a_loader_with_an_order_of_its_own_by_name(loader: DataLoader[Any], named: str) -> None:
    with pytest.raises(SpecError, match=named):
        data_of(loader, "train")


@pytest.mark.parametrize("data", [Stream(), DataLoader(Stream()), (n for n in range(3)), iter([1])])
def test_refuses_what_can_only_be_iterated_and_says_what_to_do(data: Any) -> None:
    with pytest.raises(SpecError, match=r"can only be iterated.*list\(data\).*__getitem__\(i\)"):
        data_of(data, "train")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"train": [1]}, r"keys \['train'\].*data\['train'\]"),
        ((torch.ones(3), torch.ones(3)), r"TensorDataset\(\*tensors\)"),
        ("abc", "whose items are no samples"),
        (7, "a int, which has no __getitem__"),
        (Unmeasured(), "has no __len__"),
        ([], r"evaluate has no samples \(len is 0\)"),
        (None, "NoneType"),
    ],
)
def test_refuses_what_is_no_data_set(data: Any, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        data_of(data, "evaluate")


def test_says_what_it_does_not_take_from_a_loader() -> None:
    loader = DataLoader(pairs(), batch_size=5, drop_last=True, worker_init_fn=print)

    remarks = data_of(loader, "train").remarks

    assert "Options(drop_last=True)" in remarks[0]
    assert "worker_init_fn" in remarks[1]


def test_a_jobs_collate_goes_before_the_loaders() -> None:
    data = data_of(DataLoader(pairs(), collate_fn=first), "train")

    assert collated(data, None).collate is first
    assert collated(data, last).collate is last


def test_evaluation_keeps_the_order_of_the_data() -> None:
    assert not collated(data_of(pairs(), "evaluate"), None, shuffle=False).shuffle
