"""The notebook face: the `%vflow` magic, a progress line and a plain loss curve."""

from vfnb.notebook.extension import load_ipython_extension, unload_ipython_extension
from vfnb.notebook.live import follow

__all__ = ["follow", "load_ipython_extension", "unload_ipython_extension"]
