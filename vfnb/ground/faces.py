"""How values are shown by rooms above: those name themselves under an entry point, nothing is imported upward."""

from importlib.metadata import entry_points
from typing import Any

from vfnb.ground.errors import StateError

_GROUP = "vfnb.faces"


def has_face(name: str) -> bool:
    """Tell whether this installation shows values in such a way.

    Args:
        name: Which face, such as "dashboard".

    Returns:
        True where `face` finds it.
    """
    return bool(entry_points(group=_GROUP, name=name))


def face(name: str) -> Any:
    """Load what shows a value.

    Args:
        name: Which face, such as "dashboard".

    Returns:
        A function of the value.

    Raises:
        StateError: If this installation has no such face.
    """
    found = entry_points(group=_GROUP, name=name)
    if not found:
        raise StateError(f"vfnb is not installed here, so there is no {name}; install it: pip install 'vfnb[notebook]'")
    return next(iter(found)).load()
