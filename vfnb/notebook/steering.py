"""The verbs that change a run while it trains: its devices, its mapping, its pace, its end."""

from argparse import Namespace
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from vfnb.notebook.flow import VFlow
from vfnb.notebook.starting import devices_in

if TYPE_CHECKING:
    from vfnb.session import Handle


def resize(flow: VFlow, given: Namespace) -> "Handle":
    """Go on with other devices.

    Args:
        flow: Knows the runs.
        given: The words are devices.

    Returns:
        What tells how it went.

    Raises:
        UsageError: If there are no words.
    """
    if not given.words:
        raise UsageError("resize to what? Try: %vflow resize 4")
    return flow.live(given.name, "resize").resize(devices_in(flow, ",".join(given.words)))


def remap(flow: VFlow, given: Namespace) -> "Handle":
    """Give each worker another number of virtual nodes.

    Args:
        flow: Knows the runs.
        given: The words are worker:nodes pairs, or "solve".

    Returns:
        What tells how it went.

    Raises:
        UsageError: If a word is no pair, or a worker is named twice.
    """
    if given.words == ["solve"]:
        return flow.live(given.name, "map").map("solve")
    pairs = " ".join(given.words)
    try:
        counts = {int(worker): int(nodes) for worker, nodes in (word.split(":") for word in given.words)}
    except ValueError:
        raise UsageError(
            f"map {pairs} is not worker:nodes pairs; try: %vflow map 0:48 1:16, or: %vflow map solve"
        ) from None
    if len(counts) < max(1, len(given.words)):
        raise UsageError(f"map {pairs} needs each worker once; try: %vflow map 0:48 1:16")
    return flow.live(given.name, "map").map(counts)


def pause(flow: VFlow, given: Namespace) -> None:
    """Hold at the next step.

    Args:
        flow: Knows the runs.
        given: The word is a run.
    """
    flow.live(_named(given), "pause").pause()


def resume(flow: VFlow, given: Namespace) -> None:
    """Go on after a pause.

    Args:
        flow: Knows the runs.
        given: The word is a run.
    """
    flow.live(_named(given), "resume").resume()


def stop(flow: VFlow, given: Namespace) -> None:
    """End at the next step, with a checkpoint; a second time, at once.

    Args:
        flow: Knows the runs.
        given: The word is a run.
    """
    flow.live(_named(given), "stop").stop()


def _named(given: Namespace) -> str | None:
    return given.words[0] if given.words else None
