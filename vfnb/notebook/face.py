"""How a run is shown under a cell; what draws it is loaded when something is drawn."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vfnb.session import Job


def follow(job: "Job") -> Any:
    """Show a run's live face under the present cell, and return at once.

    Args:
        job: Started.

    Returns:
        What keeps it up to date.
    """
    from vfnb.notebook.live import follow as follow_live

    return follow_live(job)
