"""The few checks that the records of this room share."""

from vfnb.ground import SpecError


def check_count(name: str, value: object, least: int = 1) -> None:
    """Refuse what is not a whole number of at least `least`.

    Args:
        name: What the number is called where the user wrote it.
        value: The value given.
        least: The smallest number allowed.

    Raises:
        SpecError: If `value` is no int (a bool is none), or is smaller.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise SpecError(f"{name}={value!r} is not possible; give a whole number of at least {least}")
