"""How a job is shown; what draws it is loaded when something is drawn."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vfnb.session import Job, Pool, Sweep


def follow(job: "Job") -> Any:
    """Show a run's live face under the present cell, and return at once.

    Args:
        job: Started.

    Returns:
        What keeps it up to date.
    """
    from vfnb.notebook.live import follow as follow_live

    return follow_live(job)


def dashboard(job: "Job") -> Any:
    """Make a job's face; `job.dashboard()` finds it by its entry point.

    Args:
        job: To be shown.

    Returns:
        The same live panel each time, where there are a page and widgets and the job has not ended; else what
        stands still.
    """
    from vfnb.notebook.showing import dashboard as dashboard_live

    return dashboard_live(job)


def sweep(made: "Sweep") -> Any:
    """Make a sweep's face; `sweep.dashboard()` finds it by its entry point.

    Args:
        made: To be shown.

    Returns:
        What draws it anew while it trains.
    """
    from vfnb.notebook.sweep_face import sweep_face

    return sweep_face(made)


def pool_dashboard(pool: "Pool") -> Any:
    """Make a pool's face; `pool.dashboard()` finds it by its entry point.

    Args:
        pool: To be shown.

    Returns:
        The same live panel each time, where there are a page and widgets; else what stands still.
    """
    from vfnb.notebook.sharing import pool_dashboard as dashboard_live

    return dashboard_live(pool)
