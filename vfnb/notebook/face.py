"""How jobs, sweeps and estimates are shown; what draws them is loaded when something is drawn."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vfnb.planning import Estimate
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


def chart(estimate: "Estimate", accelerators: Sequence[str]) -> Any:
    """Draw an estimate; `estimate.chart()` finds it by its entry point.

    Args:
        estimate: To be drawn.
        accelerators: To be drawn beside its target's.

    Returns:
        A plotly figure.
    """
    from vfnb.notebook.reach import chart as drawn

    return drawn(estimate, accelerators)


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
