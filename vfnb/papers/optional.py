"""Packages that only some recipes need: imported when they are, or named with what installs them."""

from importlib import import_module
from typing import Any

from vfnb.ground import SpecError


def needed(package: str, what: str, install: str) -> Any:
    """Import a package.

    Args:
        package: Its module.
        what: What is taken from it, as the sentence's beginning.
        install: What pip installs.

    Returns:
        The module.

    Raises:
        SpecError: If it cannot be imported.
    """
    try:
        return import_module(package)
    except ImportError as error:
        raise SpecError(f"{what} from {package}, which cannot be imported ({error}): pip install {install}") from error
