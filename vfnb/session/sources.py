"""What code a job is made of: names, digests of source text, and plain values for the rest."""

import inspect
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from hashlib import sha256
from math import isfinite
from typing import Any

import torch

from vfnb.numerics import fingerprint

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def name_of(thing: Any) -> str:
    """Name a function or class as Python does; an object by its class.

    Args:
        thing: A function, class, `partial` or any object.

    Returns:
        Its qualified name.
    """
    if isinstance(thing, partial):
        return f"partial of {name_of(thing.func)}"
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    return f"{named.__module__}.{named.__qualname__}"


def source_of(thing: Any) -> str | None:
    """Digest the source text of a function or class; of an object, that of its class.

    Args:
        thing: A function, class, `partial` or any object.

    Returns:
        A SHA-256; None where there is no source.
    """
    if isinstance(thing, partial):
        return source_of(thing.func)
    try:
        text = inspect.getsource(thing if hasattr(thing, "__qualname__") else type(thing))
    except (OSError, TypeError):
        return None
    return digest_of(text)


def described(thing: Any) -> dict[str, Any] | None:
    """Describe a user's function: by name, by source, and by what is bound to it.

    Args:
        thing: The function, or None.

    Returns:
        The description; None of None.
    """
    if thing is None:
        return None
    found = {"name": name_of(thing), "source": source_of(thing)}
    if (bound := _bound(thing)) is not None:
        found["bound"] = plain(bound)
    return found


def _bound(thing: Any) -> Any:
    """Give what a function was made with, where that can be asked for; None where it cannot."""
    if isinstance(thing, partial):
        return [thing.args, thing.keywords]
    if is_dataclass(thing) and not isinstance(thing, type):
        return {field.name: getattr(thing, field.name) for field in fields(thing)}
    return None


def architecture_of(model: torch.nn.Module) -> str:
    """Digest a model's form: its printed modules and its tensors' names, types and shapes.

    Args:
        model: The model.

    Returns:
        A SHA-256 that no weight enters.
    """
    tensors = [*model.named_parameters(), *model.named_buffers()]
    lines = [f"{name} {one.dtype} {tuple(one.shape)} {one.requires_grad}" for name, one in tensors]
    return digest_of("\n".join([_ADDRESS.sub("", repr(model)), *lines]))


def code_of(model: torch.nn.Module) -> str:
    """Digest the source of all the classes that a model is made of, torch's own left out.

    Args:
        model: The model.

    Returns:
        A SHA-256.
    """
    kinds = {type(module) for module in model.modules() if not type(module).__module__.startswith("torch.")}
    # A class that moved to another file, or out of a notebook's cell, is the same code.
    return digest_of("\n".join(sorted(f"{kind.__qualname__} {source_of(kind)}" for kind in kinds)))


def plain(value: Any) -> Any:
    """Turn any value into what JSON holds.

    Args:
        value: Numbers, words, tensors, functions, in lists, tuples and dictionaries.

    Returns:
        Numbers and words as they are, tensors by digest, functions and objects by name; partials and dataclasses with
        what they were made with.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if isfinite(value) else str(value)
        case torch.Tensor():
            return float(value) if value.ndim == 0 else fingerprint({"": value})
        case list() | tuple():
            return [plain(one) for one in value]
        case Mapping():
            return {str(key): plain(one) for key, one in value.items()}
        case _:
            bound = _bound(value)
            return name_of(value) if bound is None else [name_of(value), plain(bound)]


def digest_of(text: str) -> str:
    """Digest a text.

    Args:
        text: The text.

    Returns:
        Its SHA-256 in hexadecimal.
    """
    return sha256(text.encode()).hexdigest()
