from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
import torch
from session_doubles import Net, seeded_net
from torch import nn

from vfnb.session.sources import architecture_of, code_of, described, name_of, plain, source_of


@dataclass(frozen=True)
class Decay:
    after: Any


def half(value: float) -> float:
    return value / 2


def test_names_are_qualified() -> None:
    assert name_of(half).endswith("test_sources.half")
    assert name_of(Net()) == name_of(Net) == "session_doubles.Net"
    assert name_of(partial(half, 3)).startswith("partial of ")


def test_the_same_source_has_the_same_digest() -> None:
    assert source_of(half) == source_of(partial(half, 3)) != source_of(Net)


def test_what_has_no_source_has_no_digest() -> None:
    assert source_of(len) is None


def test_a_partial_is_described_with_what_is_bound() -> None:
    assert described(partial(half, value=3)) != described(partial(half, value=4))
    assert described(None) is None


def test_a_dataclass_is_described_with_its_fields_however_deep() -> None:
    def made(power: int) -> Decay:
        return Decay(after=partial(half, value=power))

    assert described(made(3)) == described(made(3)) != described(made(4))


def test_the_architecture_has_forms_and_no_weights() -> None:
    assert architecture_of(seeded_net(0)) == architecture_of(seeded_net(1))
    assert architecture_of(nn.Dropout(0.1)) != architecture_of(nn.Dropout(0.2))
    assert architecture_of(nn.Linear(2, 2)) != architecture_of(nn.Linear(2, 2).requires_grad_(requires_grad=False))
    assert architecture_of(nn.Linear(2, 2)) != architecture_of(nn.Linear(2, 2).half())


def test_the_code_is_that_of_every_class_of_the_users() -> None:
    assert code_of(nn.Sequential(Net())) == code_of(nn.Sequential(nn.Linear(2, 2), Net()))
    assert code_of(nn.Sequential(Net())) != code_of(nn.Linear(2, 2))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1, 1),
        (0.5, 0.5),
        (float("nan"), "nan"),
        ((0.9, None), [0.9, None]),
        ({1: "a"}, {"1": "a"}),
        (torch.tensor(0.5), 0.5),
        (half, name_of(half)),
    ],
)
def test_any_value_becomes_what_json_holds(value: Any, written: Any) -> None:
    assert plain(value) == written
