"""The notebook face: the `%vflow` magic, a job's live panel, and what lasts of it."""

from vfnb.notebook.extension import load_ipython_extension, unload_ipython_extension
from vfnb.notebook.faces import dashboard
from vfnb.notebook.live import follow

__all__ = ["dashboard", "follow", "load_ipython_extension", "unload_ipython_extension"]
