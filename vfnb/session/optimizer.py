"""A task's optimizer in its three forms, each as a function of the model; none holds the user's own model."""

import inspect
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

from torch import nn
from torch.optim import Optimizer

from vfnb.ground import SpecError

Group = dict[str, Any]

# What a scheduler, or named parameters, leave in a group: not the optimizer's to copy.
_NOT_COPIED = ("params", "param_names", "initial_lr")
_GIVE = "give partial(torch.optim.AdamW, lr=...), or a function of the model that returns an optimizer"


@dataclass(frozen=True, slots=True)
class FromParameters:
    """An optimizer class, or a partial of one, that is called with the model's parameters.

    Args:
        make: The class or partial.
    """

    make: Callable[..., Any]

    def __call__(self, model: nn.Module) -> Optimizer:
        """Make the optimizer of a model.

        Args:
            model: On its device.

        Returns:
            The optimizer.
        """
        return checked(self.make(model.parameters()), model)


@dataclass(frozen=True, slots=True)
class FromModel:
    """A function of the model that returns its optimizer.

    Args:
        make: The function.
    """

    make: Callable[[nn.Module], Any]

    def __call__(self, model: nn.Module) -> Optimizer:
        """Make the optimizer of a model.

        Args:
            model: On its device.

        Returns:
            The optimizer.

        Raises:
            TypeError: If the function does not take the model.
        """
        try:
            made = self.make(model)
        except TypeError as error:
            error.add_note(f"vfnb calls the function given as optimizer with the model; {_GIVE}")
            raise
        return checked(made, model)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """An optimizer that was built on the user's own model, by class, groups and hyperparameters.

    Args:
        kind: Its class.
        defaults: What the class was made with, as far as it takes it.
        groups: Its parameter groups, parameters by name under "params".
        remarks: What was not copied, a sentence each.
    """

    kind: type[Optimizer]
    defaults: Group
    groups: tuple[Group, ...]
    remarks: tuple[str, ...] = ()

    def __call__(self, model: nn.Module) -> Optimizer:
        """Make the same optimizer for another copy of the model.

        Args:
            model: On its device.

        Returns:
            The optimizer.

        Raises:
            SpecError: If its class cannot be made from groups and hyperparameters alone.
        """
        by_name = dict(model.named_parameters())
        groups = [deepcopy(group) | {"params": [by_name[name] for name in group["params"]]} for group in self.groups]
        try:
            made = self.kind(groups, **deepcopy(self.defaults))
        except (TypeError, ValueError) as error:
            raise SpecError(
                f"a {self.kind.__name__} cannot be made again from its groups and hyperparameters ({error}); {_GIVE}"
            ) from error
        return checked(made, model)


OptimizerMaker = FromParameters | FromModel | Copied


def optimizer_of(optimizer: object, model: object) -> OptimizerMaker:
    """Take a task's optimizer in any of its forms.

    Args:
        optimizer: A class or `partial` of one, a function of the model, or an optimizer built on `model`.
        model: What the user gave as the model.

    Returns:
        A function of the model that makes the optimizer.

    Raises:
        SpecError: If it is none of these, or one that cannot step here.
    """
    if isinstance(optimizer, Optimizer):
        return _copied(optimizer, model)
    if not callable(optimizer):
        given = "optimizer is missing" if optimizer is None else f"optimizer={optimizer!r} makes no optimizer"
        raise SpecError(f"{given}; {_GIVE}")
    made, bound, named = _unwrapped(optimizer)
    if not (isinstance(made, type) and issubclass(made, Optimizer)):
        return FromModel(optimizer)
    _refuse_closure(made)
    if bound or "params" in named:
        raise SpecError(
            f"optimizer is a partial of {made.__name__} with parameters in it already; leave them out: every "
            f"worker gives those of its own copy of the model"
        )
    return FromParameters(optimizer)


def checked(made: Any, model: nn.Module) -> Optimizer:
    """Check that an optimizer can train a model.

    Args:
        made: What a user's function returned.
        model: The model it was called with.

    Returns:
        `made`.

    Raises:
        SpecError: If it is no optimizer, has other parameters than the model's, or needs a closure.
    """
    if not isinstance(made, Optimizer):
        raise SpecError(f"optimizer made a {type(made).__name__}, not a torch.optim.Optimizer; {_GIVE}")
    _refuse_closure(type(made))
    own = {id(parameter) for parameter in model.parameters()}
    strangers = sum(id(parameter) not in own for group in made.param_groups for parameter in group["params"])
    if strangers:
        raise SpecError(
            f"optimizer made a {type(made).__name__} with {strangers} parameters that are not the model's; "
            f"use the model that the function is called with, not one from outside it"
        )
    return made


def _copied(optimizer: Optimizer, model: object) -> Copied:
    kind = type(optimizer)
    _refuse_closure(kind)
    if not isinstance(model, nn.Module):
        raise SpecError(
            f"optimizer is a {kind.__name__} built on one model, but model makes a new one for each job; {_GIVE}"
        )
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    accepted = inspect.signature(kind.__init__).parameters
    defaults = {name: value for name, value in optimizer.defaults.items() if name in accepted}
    return Copied(
        kind=kind,
        defaults=_on_cpu(defaults),
        groups=tuple(_named(group, names, kind) for group in optimizer.param_groups),
        remarks=tuple(_left_behind(optimizer)),
    )


def _named(group: Group, names: dict[int, str], kind: type[Optimizer]) -> Group:
    strangers = sum(id(parameter) not in names for parameter in group["params"])
    if strangers:
        raise SpecError(
            f"optimizer is a {kind.__name__} with {strangers} parameters that are not the model's; build it "
            f"on the model that the task is given, or {_GIVE}"
        )
    kept = {name: value for name, value in group.items() if name not in _NOT_COPIED}
    return _on_cpu(kept) | {"params": [names[id(parameter)] for parameter in group["params"]]}


def _left_behind(optimizer: Optimizer) -> Iterator[str]:
    if any("initial_lr" in group for group in optimizer.param_groups):
        yield (
            "a learning rate scheduler is attached to the optimizer and is not copied; give "
            "schedule=lambda optimizer, total_steps: ... to have one"
        )
    if optimizer.state:
        yield "the optimizer has taken steps already; jobs start it afresh, with its hyperparameters alone"


def _on_cpu(group: Group) -> Group:
    return {
        name: value.detach().cpu().clone() if hasattr(value, "detach") else deepcopy(value)
        for name, value in group.items()
    }


def _unwrapped(optimizer: Callable[..., Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    # A partial of a partial is one partial already.
    if isinstance(optimizer, partial):
        return optimizer.func, optimizer.args, optimizer.keywords
    return optimizer, (), {}


def _refuse_closure(kind: type[Optimizer]) -> None:
    closure = inspect.signature(kind.step).parameters.get("closure")
    if closure is not None and closure.default is inspect.Parameter.empty:
        raise SpecError(
            f"optimizer {kind.__name__} calls the loss several times a step (a closure), which virtual nodes "
            f"cannot do; take one that steps from gradients, such as torch.optim.AdamW"
        )
