"""Even shares: how a total is cut into parts that differ by at most one."""

from vfnb.ground.errors import SpecError


def even_shares(total: int, parts: int) -> tuple[int, ...]:
    """Cut `total` into `parts` shares that differ by at most one.

    The lowest parts get the extras; the shares sum to `total`. Numbers out of their bounds are a SpecError.

    Args:
        total: What is shared, 0 or more.
        parts: How many parts, 1 or more.

    Returns:
        A share for each part.
    """
    _check(total, parts)
    base, extras = divmod(total, parts)
    return (base + 1,) * extras + (base,) * (parts - extras)


def share_range(total: int, parts: int, part: int) -> range:
    """Give the positions of one part's share; the parts' ranges are consecutive and cover `total`.

    Args:
        total: What is shared, 0 or more.
        parts: How many parts, 1 or more.
        part: The part asked for, from 0 to `parts - 1`.

    Returns:
        The part's positions, empty where it gets nothing.

    Raises:
        SpecError: If a number is out of its bounds.
    """
    _check(total, parts)
    if not 0 <= part < parts:
        raise SpecError(f"part={part} is not one of {parts} parts; use 0 to {parts - 1}")
    base, extras = divmod(total, parts)
    start = part * base + min(part, extras)
    return range(start, start + base + (part < extras))


def _check(total: int, parts: int) -> None:
    if parts < 1:
        raise SpecError(f"parts={parts} cannot share anything; give at least 1")
    if total < 0:
        raise SpecError(f"total={total} cannot be shared; give 0 or more")
