"""The verbs that show: where a run stands, its live face, what was run, what this machine has."""

from argparse import Namespace
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from vfnb.notebook.face import follow
from vfnb.notebook.flow import VFlow

if TYPE_CHECKING:
    import pandas as pd

    from vfnb.session import Comparison, Job


def status(flow: VFlow, given: Namespace) -> "Job":
    """Give a run.

    Args:
        flow: Knows the runs.
        given: The word is a run.

    Returns:
        The run, which says where it stands.
    """
    return flow.job(given.words[0] if given.words else None)


def show(flow: VFlow, given: Namespace) -> None:
    """Show a run's live face once more.

    Args:
        flow: Knows the runs.
        given: The word is a run.
    """
    follow(status(flow, given))


def devices(*_: object) -> tuple[str, ...]:
    """Name what this machine has.

    Returns:
        The devices' names.
    """
    from vfnb.runtime import devices as here

    return tuple(str(device) for device in here())


def runs(_: VFlow, given: Namespace) -> "pd.DataFrame":
    """List what was run.

    Args:
        given: The word is a folder.

    Returns:
        A row a run.

    Raises:
        UsageError: If nothing was run there.
    """
    from vfnb.session import runs as those_in

    table = those_in(*given.words)
    if table.empty:
        where = given.words[0] if given.words else "this folder"
        raise UsageError(f"no run was left in {where}; begin one with: %vflow run task, or: %vflow runs FOLDER")
    return table


def compare(flow: VFlow, given: Namespace) -> "Comparison":
    """Compare runs: those of this notebook by their names, others by their folders.

    Args:
        flow: Knows the runs.
        given: The words are runs.

    Returns:
        The comparison, which shows curves and a table.

    Raises:
        UsageError: If there are fewer than two.
    """
    from vfnb.session import compare as side_by_side

    known = flow.known()
    if len(given.words) < 2:
        raise UsageError(f"compare needs two runs or more, such as {', '.join(known) or 'those of: %vflow runs'}")
    return side_by_side(*[known.get(word, word) for word in given.words])
