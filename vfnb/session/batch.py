"""The two shapes of batch that vfnb understands by itself: (inputs, targets) pairs, and dictionaries."""

from collections.abc import Mapping
from typing import Any

from torch import nn

from vfnb.ground import SpecError


def pair_of(batch: Any, what: str, remedy: str) -> tuple[Any, Any]:
    """Take a batch apart into inputs and targets.

    Args:
        batch: Whatever the collate gave.
        what: Who asks, for the message: "a criterion".
        remedy: What to give instead.

    Returns:
        Inputs and targets.

    Raises:
        SpecError: If the batch is no pair.
    """
    if isinstance(batch, list | tuple) and len(batch) == 2:
        return batch[0], batch[1]
    raise SpecError(f"{what} is for batches of (inputs, targets); this batch is {described(batch)}; {remedy}")


def output_of(model: nn.Module, batch: Any) -> Any:
    """Call a model with a whole batch: a dictionary by keyword, a list or tuple by position.

    Args:
        model: The model.
        batch: Whatever the collate gave.

    Returns:
        What the model returned.
    """
    match batch:
        case Mapping():
            return model(**batch)
        case list() | tuple():
            return model(*batch)
        case _:
            return model(batch)


def field_of(value: Any, name: str) -> Any:
    """Read a field by attribute or by key.

    Args:
        value: A model's output, or a batch.
        name: The field.

    Returns:
        The field; None where there is none.
    """
    found = getattr(value, name, None)
    if found is None and isinstance(value, Mapping):
        found = value.get(name)
    return found


def described(value: Any) -> str:
    """Say what kind of thing a batch or an output is.

    Args:
        value: The thing.

    Returns:
        A few words.
    """
    match value:
        case Mapping():
            return f"a {type(value).__name__} with the keys {sorted(map(str, value))}"
        case list() | tuple():
            return f"a {type(value).__name__} of {len(value)}"
        case _:
            return f"a {type(value).__name__}"
