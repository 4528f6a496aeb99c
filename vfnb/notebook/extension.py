"""Loading and unloading the IPython extension; loading needs neither torch nor pandas."""

import re
from collections.abc import Callable
from typing import Any

_LINE = r".*%vflow\s"


def load_ipython_extension(shell: Any) -> None:
    """Register `%vflow` and its completion; called by `%load_ext vfnb`.

    Args:
        shell: IPython's.
    """
    from vfnb.notebook.completion import complete
    from vfnb.notebook.magics import FlowMagics

    make: Callable[[Any], FlowMagics] = FlowMagics  # not typed in every version of IPython
    # After %unload_ext and %load_ext, or %reload_ext, the same one: it knows the runs that go on.
    magics = shell.magics_manager.registry.get(FlowMagics.__name__) or make(shell)
    unload_ipython_extension(shell)
    shell.register_magics(magics)
    shell.configurables.append(magics.flow)
    shell.set_hook("complete_command", lambda _, event: complete(magics.flow, event), re_key=_LINE)


def unload_ipython_extension(shell: Any) -> None:
    """Take `%vflow` away; runs go on, reachable by their names.

    Args:
        shell: IPython's.
    """
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("vflow", None)
    shell.configurables[:] = [one for one in shell.configurables if type(one).__name__ != "VFlow"]
    completers = shell.strdispatchers.get("complete_command")
    if completers is not None:
        completers.regexs.pop(re.compile(_LINE), None)
