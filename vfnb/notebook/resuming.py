"""`run --resume`: which run of an earlier kernel a task goes on from."""

from pathlib import Path
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from vfnb.ground import CheckpointError
from vfnb.notebook.flow import meant

if TYPE_CHECKING:
    import pandas as pd

    from vfnb.session import Task

_LEFT = ("crashed", "stopped", "failed")  # ended before the last step


def origin(name: str, task: "Task") -> Path:
    """Find the run to go on from.

    Args:
        name: A run's in this folder, or its directory; "" takes the newest that ended early and is of the task.
        task: What is to go on.

    Returns:
        The run's directory.

    Raises:
        UsageError: If there is none, it trains still, or nothing of it is left to train.
    """
    from vfnb.session import runs

    table = runs()
    if not name:
        return _newest(table, task)
    known = table[table.name == name]
    if known.empty:
        if Path(name).is_dir():
            return Path(name)
        there = meant(name, table.name) or "%vflow runs lists those that were"
        raise UsageError(f"no run named {name!r} was left here; {there}")
    run = known.iloc[0]
    if run.state == "done":
        raise UsageError(f"run {name!r} is done: it trained all {run.steps:.0f} steps; begin another with --name")
    if run.state not in _LEFT:
        raise UsageError(f"run {name!r} is {run.state}, so it cannot go on from here; stop it where it trains")
    return Path(run.path)


def left_in(table: "pd.DataFrame") -> "pd.DataFrame":
    """Keep the runs that ended before their last step.

    Args:
        table: What `vfnb.runs()` gave, the newest first.

    Returns:
        Those, in the same order.
    """
    return table[table.state.isin(_LEFT)]


def _newest(table: "pd.DataFrame", task: "Task") -> Path:
    from vfnb.session import Job

    reasons = []
    for path in left_in(table).path:
        try:
            Job.load(path, task)
        except CheckpointError as error:
            reasons.append(str(error))
        else:
            return Path(path)
    reason = reasons[0] if reasons else "none in this folder ended before its last step"
    raise UsageError(f"no run can go on with this task: {reason}; begin one without --resume")
