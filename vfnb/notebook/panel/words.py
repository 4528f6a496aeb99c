"""Numbers and states as people say them."""

from math import isfinite

_STATES = {
    "new": "not started",
    "starting": "starting workers",
    "running": "training",
    "paused": "paused",
    "resizing": "resizing",
    "recovering": "recovering from a lost worker",
    "done": "done",
    "stopped": "stopped",
    "failed": "failed",
}


def state(word: str) -> str:
    """Say a job's state.

    Args:
        word: As the job has it.

    Returns:
        What a person would say.
    """
    return _STATES.get(word, word)


def count(number: int, what: str) -> str:
    """Count things.

    Args:
        number: How many.
        what: One of them.

    Returns:
        "1 worker", "2 workers".
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def seconds(span: float) -> str:
    """Say a short span as it is read off a clock.

    Args:
        span: In seconds.

    Returns:
        In milliseconds below a tenth of a second.
    """
    return f"{span * 1000:.0f} ms" if span < 0.1 else f"{span:.2f} s" if span < 10 else lasting(span)


def lasting(span: float) -> str:
    """Say a long span in its two largest units.

    Args:
        span: In seconds.

    Returns:
        Such as "2 min 5 s".
    """
    if not isfinite(span):
        return "unknown"
    whole = round(span)
    days, rest = divmod(whole, 86_400)
    hours, rest = divmod(rest, 3600)
    minutes, left = divmod(rest, 60)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (left, "s")]
    if 600 <= whole < 3600:
        return f"{round(whole / 60)} min"
    first = next((place for place, (number, _) in enumerate(parts) if number), 3)
    return " ".join(
        f"{number} {unit}" for number, unit in parts[first : first + 2] if number or unit == "s" == parts[first][1]
    )


def rate(per_second: float) -> str:
    """Say a throughput.

    Args:
        per_second: Samples.

    Returns:
        With as many digits as matter.
    """
    return f"{per_second:,.0f} samples/s" if per_second >= 10 else f"{per_second:.2g} samples/s"
