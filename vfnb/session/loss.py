"""A task's loss in its three forms, each as a function of model and batch.

A criterion gives the mean over (inputs, targets); where classes or ignored targets have weights of their own
it gives the sum and its weight, so that the mean over all virtual nodes is the mean over their targets.
A model whose output has `.loss` is weighted by the labels that count.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from vfnb.ground import SpecError
from vfnb.session.batch import described, field_of, output_of, pair_of
from vfnb.session.calls import takes
from vfnb.spec import Weighted

Loss = Callable[[nn.Module, Any], Any]

_IGNORED = -100  # what torch and Hugging Face models leave out of a loss
_GIVE = "give loss(model, batch) instead"
# Class names of models that predict the next token and shift the labels themselves; XLNet's does not shift.
_CAUSAL = ("ForCausalLM", "LMHeadModel")
_UNSHIFTED = "XLNet"


def loss_of(loss: object) -> Loss | None:
    """Take a task's loss in any of its forms.

    Args:
        loss: A function of model and batch, a criterion such as `nn.CrossEntropyLoss()`, or None for models
            whose output has `.loss`.

    Returns:
        A function of model and batch; None where the model has its own, see `own_loss`.

    Raises:
        SpecError: If it is none of these, or a criterion that does not give a mean.
    """
    if loss is None:
        return None
    if isinstance(loss, nn.Module):
        return _criterion(loss)
    if isinstance(loss, type):
        raise SpecError(f"loss={loss.__name__} is a class; give an instance: {loss.__name__}()")
    if not callable(loss):
        raise SpecError(f"loss={loss!r} cannot be called; give loss(model, batch), a criterion, or None")
    if getattr(loss, "__module__", None) == F.__name__:
        raise SpecError(
            f"loss={getattr(loss, '__name__', loss)} takes outputs and targets; give the criterion of the "
            f"same name (such as nn.CrossEntropyLoss()), or loss(model, batch)"
        )
    if not takes(loss, 2):
        raise SpecError(f"loss={loss!r} cannot be called with (model, batch); {_GIVE}")
    return cast(Loss, loss)


def own_loss(model: nn.Module) -> "OutputLoss":
    """Give the loss of a model that computes it itself.

    Args:
        model: The model.

    Returns:
        The loss.
    """
    return OutputLoss(causal=shifts_labels(model))


def shifts_labels(model: nn.Module) -> bool:
    """Tell whether a model predicts each next token, and so leaves each sequence's first label out.

    Args:
        model: The model, wrapped or not.

    Returns:
        True where its configuration or a class in it says so.
    """
    names = {type(module).__name__ for module in model.modules()}
    config = getattr(model, "config", None)
    names.update(getattr(config, "architectures", None) or ())
    causal = [name for name in names if name.endswith(_CAUSAL)]
    return bool(causal) and not any(name.startswith(_UNSHIFTED) for name in causal)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputLoss:
    """The loss that a model's own output carries.

    Args:
        causal: Whether the model leaves out the first label of each sequence.
    """

    causal: bool

    def __call__(self, model: nn.Module, batch: Any) -> Tensor | Weighted:
        """Compute the loss.

        Args:
            model: The model.
            batch: A dictionary, a list or tuple, or one tensor.

        Returns:
            The mean over samples, or the sum with its weight where the labels are known.

        Raises:
            SpecError: If the output has no loss.
        """
        output = output_of(model, batch)
        loss = field_of(output, "loss")
        if loss is None:
            raise SpecError(
                f"loss=None needs a model whose output has .loss; {type(model).__name__} returned "
                f"{described(output)} without one; put labels into the batch, or {_GIVE}"
            )
        weight = self.weight(batch)
        return loss if weight is None else Weighted(loss * weight, weight)

    def weight(self, batch: Any) -> Tensor | None:
        """Count the labels that the loss is a mean over.

        Args:
            batch: As the model gets it.

        Returns:
            The count, 0-d; None where the loss is a mean over samples, or nothing can be known.
        """
        labels = _labels(batch)
        if labels is None or labels.is_floating_point():
            return None
        if self.causal and labels.ndim >= 2:
            labels = labels[..., 1:]
        return (labels != _IGNORED).sum()

    def remark(self, batch: Any) -> str | None:
        """Say what cannot be known about this loss.

        Args:
            batch: As the model gets it.

        Returns:
            A sentence; None where there is nothing to say.
        """
        if _labels(batch) is not None:
            return None
        return (
            "the model's own loss is weighted by samples, since the batch has no 'labels' to count; where it "
            "is a mean over something else (tokens), give loss(model, batch) -> vfnb.Weighted(sum, weight)"
        )


class MeanCriterion(nn.Module):
    """A criterion over (inputs, targets) that gives the mean over samples.

    A module, to be moved along; called at once, since nobody can hang a hook on it.

    Args:
        criterion: The criterion.
    """

    def __init__(self, criterion: nn.Module) -> None:
        super().__init__()
        self.criterion = criterion

    def __call__(self, model: nn.Module, batch: Any) -> Any:
        """Compute the mean loss of a batch.

        Args:
            model: The model.
            batch: A pair of inputs and targets.

        Returns:
            What the criterion gives.
        """
        inputs, targets = _pair(batch)
        return self.criterion(model(inputs), targets)


class ClassCriterion(nn.Module):
    """Cross entropy or negative log likelihood as a sum and the weight that torch's mean divides by.

    Args:
        criterion: An `nn.CrossEntropyLoss` or `nn.NLLLoss` that gives the mean.
    """

    def __init__(self, criterion: nn.CrossEntropyLoss | nn.NLLLoss) -> None:
        super().__init__()
        self.criterion = criterion
        self._summed = deepcopy(criterion)
        self._summed.reduction = "sum"

    def __call__(self, model: nn.Module, batch: Any) -> Weighted:
        """Compute the summed loss of a batch.

        Args:
            model: The model.
            batch: A pair of inputs and targets.

        Returns:
            The sum, and the weight of the targets that count.
        """
        inputs, targets = _pair(batch)
        outputs, summed = model(inputs), self._summed
        return Weighted(summed(outputs, targets), _weight(summed, outputs, targets))


def _weight(criterion: nn.CrossEntropyLoss | nn.NLLLoss, outputs: Tensor, targets: Tensor) -> Tensor | float:
    if targets.is_floating_point():
        # Probabilities of classes: torch divides by the number of targets, whatever the classes weigh.
        classes = outputs.shape[0 if outputs.ndim == 1 else 1]
        return float(outputs.numel() // classes)
    counts = targets != criterion.ignore_index
    if criterion.weight is None:
        return counts.count_nonzero()
    return (criterion.weight[torch.where(counts, targets, 0)] * counts).sum()


def _criterion(criterion: nn.Module) -> Loss:
    name = type(criterion).__name__
    reduction = getattr(criterion, "reduction", "mean")
    if reduction in ("sum", "none"):
        raise SpecError(
            f"loss={name}(reduction={reduction!r}) is not a mean, so the virtual nodes' losses have no "
            f"weights; use reduction='mean', or return vfnb.Weighted(sum, weight) from loss(model, batch)"
        )
    if any(parameter.requires_grad for parameter in criterion.parameters()):
        raise SpecError(
            f"loss={name} has parameters of its own, which nobody would train; make it a part of the model, and {_GIVE}"
        )
    own = deepcopy(criterion).to("cpu")
    # A subclass with a forward of its own may mean anything; only torch's own arithmetic is known.
    if type(own).forward in (nn.CrossEntropyLoss.forward, nn.NLLLoss.forward):
        return ClassCriterion(cast(nn.CrossEntropyLoss | nn.NLLLoss, own))
    return MeanCriterion(own)


def _labels(batch: Any) -> Tensor | None:
    labels = batch.get("labels") if isinstance(batch, Mapping) else None
    return labels if isinstance(labels, Tensor) else None


def _pair(batch: Any) -> tuple[Any, Any]:
    return pair_of(batch, "a criterion as the loss", _GIVE)
