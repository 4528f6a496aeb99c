from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from vfnb.ground import SpecError
from vfnb.session.predict import predict_default, predict_of


class Outputs(nn.Module):
    def __init__(self, **fields: Tensor) -> None:
        super().__init__()
        self.fields = fields

    def forward(self, **_: Tensor) -> Any:
        return SimpleNamespace(**self.fields)


def test_none_means_the_default() -> None:
    assert predict_of(None) is predict_default


def test_a_function_of_model_and_batch_is_taken_as_it_is() -> None:
    def predict(model: nn.Module, batch: Any) -> tuple[Tensor, Tensor]:
        return model(batch), batch

    assert predict_of(predict) is predict


@pytest.mark.parametrize("predict", [3, lambda model: model])
def test_refuses_what_cannot_be_called_with_model_and_batch(predict: Any) -> None:
    with pytest.raises(SpecError, match=r"returns \(predictions, targets\)"):
        predict_of(predict)


def test_a_pair_gives_the_models_output_and_the_targets() -> None:
    predictions, targets = predict_default(nn.Identity(), (torch.ones(2), torch.zeros(2)))

    assert predictions.tolist() == [1, 1]
    assert targets.tolist() == [0, 0]


def test_a_dictionary_gives_logits_and_labels() -> None:
    batch = {"labels": torch.zeros(2)}

    predictions, targets = predict_default(Outputs(logits=torch.ones(2)), batch)

    assert predictions.tolist() == [1, 1]
    assert targets is batch["labels"]


@pytest.mark.parametrize(
    ("batch", "said"),
    [
        ((1, 2, 3), "a tuple of 3"),
        ({"x": torch.ones(1)}, r"needs 'labels'.*keys \['x'\]"),
        ({"labels": torch.ones(1)}, r"needs \.logits in the output"),
    ],
)
def test_refuses_a_batch_it_cannot_read(batch: Any, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        predict_default(Outputs(other=torch.ones(1)), batch)
