"""A task's model: the weights that every job starts from, and the kinds of model that are refused."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from vfnb.ground import SpecError
from vfnb.numerics import restored_generators, seed_generators, seed_of
from vfnb.session.calls import takes

# Attributes of every module that hold its tensors and parts; what is left is the user's own.
_TORCHS_OWN = frozenset(vars(nn.Module())) | {"_is_full_backward_hook"}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A model as it was when its task was made; whatever happens to the user's own later does not matter.

    Args:
        model: A copy on the CPU, which nobody else holds.
    """

    model: nn.Module

    @property
    def name(self) -> str:
        """The model's class."""
        return type(self.model).__name__

    def build(self, seed: int) -> nn.Module:  # noqa: ARG002  # a snapshot's weights are drawn already
        """Make a job's model.

        Args:
            seed: The job's; a snapshot has no use for it.

        Returns:
            A new copy with the snapshot's weights.
        """
        return deepcopy(self.model)


@dataclass(frozen=True, slots=True)
class Factory:
    """A function that makes the model, called once a job under the job's own seed.

    Args:
        make: Takes nothing and returns a model.
    """

    make: Callable[[], Any]

    @property
    def name(self) -> str:
        """The function's name."""
        made = self.make.func if isinstance(self.make, partial) else self.make
        return getattr(made, "__name__", repr(made))

    def build(self, seed: int) -> nn.Module:
        """Make a job's model; the global generators are left as they were.

        Args:
            seed: The job's.

        Returns:
            The model, on the CPU.

        Raises:
            SpecError: If what was made is no model, or one that cannot be trained here.
        """
        on_devices = torch.cuda.default_generators if torch.cuda.is_initialized() else ()
        with restored_generators():
            seed_generators(seed_of(seed, "model"), on_devices)
            made = self.make()
        if not isinstance(made, nn.Module):
            raise SpecError(
                f"the model's factory {self.name} returned a {type(made).__name__}; return a torch.nn.Module"
            )
        return copied(made)


Origin = Snapshot | Factory


def origin_of(model: object) -> Origin:
    """Take a task's model in any of its forms.

    Args:
        model: A module, which is copied, or a function (or class) of no arguments that makes one.

    Returns:
        Where jobs get their model from.

    Raises:
        SpecError: If it is neither, or cannot be trained here.
    """
    if isinstance(model, nn.Module):
        return Snapshot(copied(model))
    if callable(model):
        factory = Factory(model)
        if not takes(model, 0):
            raise SpecError(
                f"model={factory.name} needs arguments; give the module itself, or a function of none: "
                f"lambda: {factory.name}(...)"
            )
        return factory
    raise SpecError(
        f"model={model!r} is no model; give a torch.nn.Module, or a function of no arguments that makes one"
    )


def copied(model: nn.Module) -> nn.Module:
    """Copy a model to the CPU, without gradients.

    Args:
        model: Any module, on any device.

    Returns:
        The copy; ties between its tensors and every module's training flag are kept.

    Raises:
        SpecError: If the model cannot be trained here or cannot be copied; names the part in the way.
    """
    _refuse_unfit(model)
    try:
        # Tensors elsewhere go straight to the CPU: their device may have no room for a second copy.
        elsewhere = [tensor for tensor in _tensors(model) if tensor.device.type != "cpu"]
        return deepcopy(model, {id(tensor): _on_cpu(tensor) for tensor in elsewhere})
    except Exception as error:  # copying runs the user's own __deepcopy__ and __getstate__
        raise SpecError(
            f"{_uncopyable(model)} cannot be copied ({error}); make it where it is used, "
            f"or give a function of no arguments that makes the model"
        ) from error


def trainable(model: nn.Module) -> nn.Module:
    """Put a model into training mode where its owner left it in evaluation mode.

    A model in training mode keeps each module's own flag: a frozen batch norm stays frozen.

    Args:
        model: The model; changed in place.

    Returns:
        `model`.
    """
    return model if model.training else model.train()


def _refuse_unfit(model: nn.Module) -> None:
    if isinstance(model, nn.DataParallel | nn.parallel.DistributedDataParallel):
        raise SpecError(
            f"{type(model).__name__} is not for a virtual cluster, which shares the batch itself; "
            f"give the model inside it: model.module"
        )
    for name, module in model.named_modules():
        if isinstance(module, nn.SyncBatchNorm):
            raise SpecError(
                f"SyncBatchNorm ({name or 'the model'}) sums over processes, which a virtual node does not "
                f"have; use BatchNorm: every virtual node has its own statistics, as every device would"
            )
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        if is_lazy(tensor):
            raise SpecError(f"{name} has no shape yet; run the model once on a batch before making the task")
        if tensor.is_meta:
            raise SpecError(f"{name} is on the meta device and has no values; make the model on a real one")
    if not any(parameter.requires_grad for parameter in model.parameters()):
        raise SpecError(f"{type(model).__name__} has no parameter that requires a gradient; there is nothing to train")


def _tensors(model: nn.Module) -> list[Tensor]:
    return [*model.parameters(), *model.buffers()]


def _on_cpu(tensor: Tensor) -> Tensor:
    values = tensor.detach().to("cpu", copy=True)
    if not isinstance(tensor, nn.Parameter):
        return values
    return nn.Parameter(values, requires_grad=tensor.requires_grad)


def _uncopyable(model: nn.Module) -> str:
    """Name the first attribute that cannot be copied."""
    for path, module in model.named_modules():
        for name, value in vars(module).items():
            if name in _TORCHS_OWN:
                continue
            try:
                deepcopy(value)
            except Exception:  # noqa: BLE001  # the one that raises is the one that is looked for
                return f"the model's attribute {f'{path}.{name}' if path else name}, a {type(value).__name__},"
    return f"the model, a {type(model).__name__},"
