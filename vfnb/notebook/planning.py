"""`plan`: what is best computed at once here, measured where the cache does not have it."""

from argparse import Namespace
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from vfnb.notebook.flow import VFlow
from vfnb.notebook.starting import devices_in
from vfnb.spec import Options

if TYPE_CHECKING:
    from vfnb.planning import Plan


def plan(flow: VFlow, given: Namespace) -> "Plan":
    """Compare the numbers of virtual nodes a pass, and choose one.

    Args:
        flow: Has the target.
        given: The word is the task.

    Returns:
        The plan, which shows its table.

    Raises:
        UsageError: If there is no target or no task.
    """
    from vfnb.session import Task
    from vfnb.session import plan as planned

    if flow.target is None:
        raise UsageError("no target is chosen; begin with: %vflow target 64xV100 --batch 512")
    if not given.words:
        tasks = flow.of_kind(Task)
        raise UsageError(f"plan needs a task; try: %vflow plan {tasks[-1] if tasks else 'task'}")
    task = flow.named(given.words[0], Task, "give a vfnb.Task(model, train, loss, optimizer)")
    options = None if given.options is None else flow.named(given.options, Options, "give a vfnb.Options(...)")
    return planned(task, flow.target, devices_in(flow, given.on), options=options)
