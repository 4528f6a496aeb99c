"""The notebook face: the `%vflow` magic and what shows a run; nothing heavy is loaded before it is needed."""

from vfnb.notebook.extension import load_ipython_extension, unload_ipython_extension
from vfnb.notebook.face import chart, dashboard, follow, pool_dashboard, sweep

__all__ = [
    "chart",
    "dashboard",
    "follow",
    "load_ipython_extension",
    "pool_dashboard",
    "sweep",
    "unload_ipython_extension",
]
