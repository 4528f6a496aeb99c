"""Loading and unloading the IPython extension."""

from typing import Any


def load_ipython_extension(shell: Any) -> None:
    """Register `%vflow` and its completion; called by `%load_ext vfnb`.

    Args:
        shell: IPython's.
    """
    from vfnb.notebook.completion import complete_flow
    from vfnb.notebook.magics import FlowMagics

    shell.register_magics(FlowMagics)
    shell.set_hook("complete_command", complete_flow, re_key=r"%?%?vflow")


def unload_ipython_extension(shell: Any) -> None:
    """Take `%vflow` away; runs go on, reachable by their names.

    Args:
        shell: IPython's.
    """
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("vflow", None)
