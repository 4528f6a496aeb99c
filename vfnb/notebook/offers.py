"""What Tab offers in one place of a line: each a function of what `%vflow` remembers and the word begun."""

import re
from collections.abc import Callable, Iterable

from vfnb.notebook.flow import VFlow
from vfnb.spec import Options, accelerators

Offers = Callable[[VFlow, str], Iterable[str]]


def nothing(_: VFlow, begun: str) -> Iterable[str]:
    """Offer nothing: a number or a new name stands there.

    Args:
        begun: The word as far as it is typed.

    Returns:
        Nothing.
    """
    del begun
    return ()


def clusters(_: VFlow, begun: str) -> Iterable[str]:
    """Offer the catalogue's accelerators behind the count that is typed, in one word each.

    Args:
        begun: The word as far as it is typed.

    Returns:
        Such as "1024xTPUv3".
    """
    number = re.match(r"\d+x", begun)
    if number is None:
        return ()
    words = (name for row in accelerators() for name in (row.name, *row.aliases))
    return [number[0] + word.replace(" ", "") for word in dict.fromkeys(words)]


def devices(_: VFlow, begun: str) -> Iterable[str]:
    """Offer this machine's devices, each one more of a list.

    Args:
        begun: The word as far as it is typed; devices are joined by commas.

    Returns:
        What is typed of the list, with one device more.
    """
    from vfnb.runtime import devices as here

    listed, comma, _begun = begun.rpartition(",")
    taken = listed.split(",")
    return [f"{listed}{comma}{device}" for device in map(str, here()) if device not in taken]


def tasks(flow: VFlow, _: str) -> Iterable[str]:
    """Offer the user's tasks.

    Args:
        flow: Knows the variables.

    Returns:
        Their variables.
    """
    from vfnb.session import Task

    return flow.of_kind(Task)


def submitted(flow: VFlow, begun: str) -> Iterable[str]:
    """Offer what a pool can take in.

    Args:
        flow: Knows the variables.
        begun: The word as far as it is typed.

    Returns:
        The variables of jobs that are not started, and of tasks.
    """
    waiting = [name for name, job in flow.known().items() if job.state == "new"]
    return [*waiting, *tasks(flow, begun)]


def policies(_: VFlow, begun: str) -> Iterable[str]:
    """Offer the scheduling policies.

    Args:
        begun: The word as far as it is typed.

    Returns:
        Their names.
    """
    from vfnb.planning import policies as those

    del begun
    return [policy.name for policy in those()]


def estimated(flow: VFlow, begun: str) -> Iterable[str]:
    """Offer what a target can be estimated for.

    Args:
        flow: Knows the variables.
        begun: The word as far as it is typed.

    Returns:
        The user's tasks, and the models that are known by name.
    """
    from vfnb.planning import known_models

    return [*tasks(flow, begun), *known_models()]


def options(flow: VFlow, _: str) -> Iterable[str]:
    """Offer the user's options.

    Args:
        flow: Knows the variables.

    Returns:
        Their variables.
    """
    return flow.of_kind(Options)


def names(flow: VFlow, _: str) -> Iterable[str]:
    """Offer the user's variables.

    Args:
        flow: Knows the variables.

    Returns:
        Their names.
    """
    return flow.of_kind(object)


def runs(flow: VFlow, _: str) -> Iterable[str]:
    """Offer this notebook's runs.

    Args:
        flow: Knows the runs.

    Returns:
        Their names, the newest first.
    """
    return reversed(flow.known())


def live(flow: VFlow, _: str) -> Iterable[str]:
    """Offer the runs that train.

    Args:
        flow: Knows the runs.

    Returns:
        Their names, the newest first.
    """
    return reversed(flow.training())


def mappings(_: VFlow, begun: str) -> Iterable[str]:
    """Offer the mapping that is found by itself.

    Args:
        begun: The word as far as it is typed.

    Returns:
        Its name.
    """
    del begun
    return ("solve",)


def left(_: VFlow, begun: str) -> Iterable[str]:
    """Offer the runs that ended early.

    Args:
        begun: The word as far as it is typed.

    Returns:
        Their names, the newest first.
    """
    from vfnb.notebook.resuming import left_in
    from vfnb.session import runs as those_here

    del begun
    return left_in(those_here()).name.tolist()


def recipes(*_: object) -> Iterable[str]:
    """Offer the published experiments.

    Returns:
        Their names.
    """
    from vfnb.papers import list as those_known

    return those_known().index.tolist()
