"""`pool` and `submit`: devices that jobs share, and letting a job in."""

from argparse import Namespace
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from vfnb.notebook.flow import VFlow
from vfnb.notebook.starting import beginning, devices_in

if TYPE_CHECKING:
    from vfnb.session import Job, Pool

_OF_THE_JOB = ("on", "epochs", "steps", "seed", "options", "name")


def pool(flow: VFlow, given: Namespace) -> "Pool":
    """Give the pool of this notebook, or make one.

    Args:
        flow: Remembers it.
        given: Which devices and policy.

    Returns:
        The pool, which shows itself.

    Raises:
        UsageError: If another is asked for while the one there is has jobs.
    """
    from vfnb.session import Pool

    present = _present(flow)
    if given.on is None and given.policy is None and present is not None:
        return present
    if present is not None and not all(job.ended for job in present.jobs):
        raise UsageError("the pool that is here has jobs still; to see it: %vflow pool, to end them: pool.close()")
    flow.pool = Pool(devices_in(flow, given.on), policy=given.policy or "wfs")
    return flow.pool


def submit(flow: VFlow, given: Namespace) -> "Job":
    """Let a job into the pool, which is made where there is none.

    Args:
        flow: Knows pool, target and variables.
        given: The word is a job that is not started, or a task.

    Returns:
        The job.

    Raises:
        UsageError: If there is no such job or task, or flags of a new job stand beside one.
    """
    from vfnb.session import Job, Pool, Task

    if not given.words:
        raise UsageError("submit what? Name a task, or a job that is not started: %vflow submit task --on 2")
    what = flow.named(given.words[0], object, "give a vfnb.Task or a vfnb.Job that is not started")
    if isinstance(what, Job):
        strange = [f"--{flag}" for flag in _OF_THE_JOB if getattr(given, flag) is not None]
        if strange:
            raise UsageError(f"{given.words[0]} is a job already and keeps what it is; leave out {strange[0]}")
        job = what
    else:
        task = flow.named(given.words[0], Task, "give a vfnb.Task, or a vfnb.Job that is not started")
        job = beginning(flow, given, task, devices_in(flow, given.on))(given.name)
    if _present(flow) is None:
        flow.pool = Pool(flow.devices)
    where = _present(flow)
    assert where is not None, "it was just made"
    where.submit(job, priority=5.0 if given.priority is None else given.priority)
    flow.keep(job, given.name)
    return job


def _present(flow: VFlow) -> "Pool | None":
    """Find the pool of this notebook: the magic's own, or the newest in a variable."""
    from vfnb.session import Pool

    if flow.pool is None and (held := flow.of_kind(Pool)):
        flow.pool = flow.names[held[-1]]
    return flow.pool
