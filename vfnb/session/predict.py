"""What a model predicts for a batch, for metrics: the user's own function, or a sensible default."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from torch import nn

from vfnb.ground import SpecError
from vfnb.session.batch import described, field_of, output_of, pair_of
from vfnb.session.calls import takes

Predict = Callable[[nn.Module, Any], tuple[Any, Any]]

_GIVE = "give predict(model, batch) that returns (predictions, targets)"


def predict_of(predict: object) -> Predict:
    """Take a task's predict in any of its forms.

    Args:
        predict: A function of model and batch, or None for `predict_default`.

    Returns:
        The function.

    Raises:
        SpecError: If it cannot be called so.
    """
    if predict is None:
        return predict_default
    if not callable(predict) or not takes(predict, 2):
        raise SpecError(f"predict={predict!r} cannot be called with (model, batch); {_GIVE}")
    return cast(Predict, predict)


def predict_default(model: nn.Module, batch: Any) -> tuple[Any, Any]:
    """Predict for a pair of inputs and targets, or for a dictionary with labels.

    Args:
        model: The model.
        batch: (inputs, targets), or a dictionary whose output has `.logits`.

    Returns:
        Predictions and targets.

    Raises:
        SpecError: If the batch or the model's output is neither.
    """
    if not isinstance(batch, Mapping):
        inputs, targets = pair_of(batch, "predict=None", _GIVE)
        return model(inputs), targets
    labels = batch.get("labels")
    if labels is None:
        raise SpecError(f"predict=None needs 'labels' in the batch, which is {described(batch)}; {_GIVE}")
    output = output_of(model, batch)
    logits = field_of(output, "logits")
    if logits is None:
        raise SpecError(f"predict=None needs .logits in the output, which is {described(output)}; {_GIVE}")
    return logits, labels
