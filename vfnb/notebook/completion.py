"""What Tab offers behind `%vflow`: verbs, then what the verb takes."""

import re
from collections.abc import Iterable
from typing import Any

from vfnb.notebook.verbs import FLAGS, VERBS
from vfnb.runtime import devices
from vfnb.session import Task
from vfnb.spec import accelerators


def complete_flow(shell: Any, event: Any) -> list[str]:
    """Offer what may stand where the cursor is.

    Args:
        shell: IPython's.
        event: What is being completed: its `line` up to the cursor, and the `symbol` that is begun there.

    Returns:
        What fits.
    """
    before = event.line[: len(event.line) - len(event.symbol)].split()[1:]
    offers = VERBS if not before else _behind(before[0], before[-1], event.symbol, shell.user_ns)
    return [offer for offer in offers if offer.startswith(event.symbol)]


def _behind(verb: str, last: str, symbol: str, names: dict[str, Any]) -> Iterable[str]:
    """Offer a flag's values behind a flag, else the verb's words and flags."""
    flags = FLAGS.get(verb, ())
    if last in flags:
        return _values(last, names)
    if verb == "target":
        return [*_clusters(symbol), *flags]
    if verb == "resize":
        return [str(device) for device in devices()]
    tasks = [name for name, value in names.items() if verb == "run" and isinstance(value, Task)]
    return [*tasks, *flags]


def _values(flag: str, names: dict[str, Any]) -> list[str]:
    if flag == "--on":
        return [str(device) for device in devices()]
    if flag in ("--model", "--data", "--loss", "--optimizer"):
        return [name for name in names if not name.startswith("_")]
    return []  # a number or a new name


def _clusters(symbol: str) -> list[str]:
    """Name the catalogue's accelerators behind the count that is typed, in one word each."""
    count = re.match(r"\d+x", symbol)
    if count is None:
        return []
    words = (name for row in accelerators() for name in (row.name, *row.aliases))
    return [count[0] + word.replace(" ", "") for word in dict.fromkeys(words)]
