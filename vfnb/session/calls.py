"""Asking a user's function how it can be called, without calling it."""

import inspect
from collections.abc import Callable
from typing import Any


def takes(function: Callable[..., Any], arguments: int) -> bool:
    """Tell whether a function can be called with so many positional arguments.

    Args:
        function: Any callable.
        arguments: How many.

    Returns:
        False only where its signature says that it cannot; a builtin without a signature may.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(*range(arguments))
    except TypeError:
        return False
    return True
