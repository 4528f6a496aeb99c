"""vfnb: train a large cluster's run on the devices you have, with the same bits on any number of them.

The names below are loaded when they are first used, so that `import vfnb` needs neither torch nor pandas.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from vfnb.ground import check_platform

if TYPE_CHECKING:
    from vfnb import papers
    from vfnb.ground import (
        CheckpointError,
        PlanError,
        SpecError,
        StateError,
        TrainingError,
        VfnbError,
        WorkerLostError,
    )
    from vfnb.notebook import load_ipython_extension, unload_ipython_extension
    from vfnb.planning import Estimate, Plan
    from vfnb.runtime import devices
    from vfnb.session import Job, Pool, Task, compare, estimate, open_run, plan, profile, runs, sweep, verify
    from vfnb.spec import Options, Profile, Resized, VirtualCluster, Weighted

__version__ = "0.1.0"

check_platform(sys.platform)

__all__ = [
    "CheckpointError",
    "Estimate",
    "Job",
    "Options",
    "Plan",
    "PlanError",
    "Pool",
    "Profile",
    "Resized",
    "SpecError",
    "StateError",
    "Task",
    "TrainingError",
    "VfnbError",
    "VirtualCluster",
    "Weighted",
    "WorkerLostError",
    "__version__",
    "compare",
    "devices",
    "estimate",
    "load_ipython_extension",
    "open_run",
    "papers",
    "plan",
    "profile",
    "runs",
    "sweep",
    "unload_ipython_extension",
    "verify",
]

_ROOMS = {
    "CheckpointError": "vfnb.ground",
    "Estimate": "vfnb.planning",
    "Job": "vfnb.session",
    "Options": "vfnb.spec",
    "Plan": "vfnb.planning",
    "PlanError": "vfnb.ground",
    "Pool": "vfnb.session",
    "Profile": "vfnb.spec",
    "Resized": "vfnb.spec",
    "SpecError": "vfnb.ground",
    "StateError": "vfnb.ground",
    "Task": "vfnb.session",
    "TrainingError": "vfnb.ground",
    "VfnbError": "vfnb.ground",
    "VirtualCluster": "vfnb.spec",
    "Weighted": "vfnb.spec",
    "WorkerLostError": "vfnb.ground",
    "compare": "vfnb.session",
    "devices": "vfnb.runtime",
    "estimate": "vfnb.session",
    "load_ipython_extension": "vfnb.notebook",
    "open_run": "vfnb.session",
    "plan": "vfnb.session",
    "profile": "vfnb.session",
    "runs": "vfnb.session",
    "sweep": "vfnb.session",
    "unload_ipython_extension": "vfnb.notebook",
    "verify": "vfnb.session",
}


def __getattr__(name: str) -> Any:
    """Load a public name from its room the first time it is asked for."""
    if name == "papers":
        return import_module("vfnb.papers")  # a room of its own name
    room = _ROOMS.get(name)
    if room is None:
        raise AttributeError(f"module 'vfnb' has no attribute {name!r}")
    value = getattr(import_module(room), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, so that completion shows them before they are loaded."""
    return sorted(__all__)
