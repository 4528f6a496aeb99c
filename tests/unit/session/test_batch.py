from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from vfnb.session.batch import described, field_of, output_of


class Echo(nn.Module):
    def forward(self, *by_place: Any, **by_name: Any) -> Any:
        return by_place, by_name


@pytest.mark.parametrize(
    ("batch", "called"),
    [({"a": 1}, ((), {"a": 1})), ([1, 2], ((1, 2), {})), ((1,), ((1,), {})), (5, ((5,), {}))],
)
def test_a_model_is_called_with_a_batch_by_its_form(batch: Any, called: Any) -> None:
    assert output_of(Echo(), batch) == called


def test_a_field_is_read_by_attribute_or_key() -> None:
    assert field_of(SimpleNamespace(loss=1), "loss") == 1
    assert field_of({"loss": 2}, "loss") == 2
    assert field_of({"loss": 2}, "logits") is None
    assert field_of(3, "loss") is None


def test_a_batch_is_described_by_its_form() -> None:
    assert described({"b": 1, "a": 2}) == "a dict with the keys ['a', 'b']"
    assert described((1, 2, 3)) == "a tuple of 3"
    assert described(torch.ones(2)) == "a Tensor"
