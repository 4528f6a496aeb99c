"""The `%vflow` magic: a line is read and its verb done; a user's mistake is one line, never a traceback."""

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import Any, TypeVar, cast

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class, no_var_expand
from IPython.utils.text import DollarFormatter

from vfnb.ground import VfnbError
from vfnb.notebook.flow import VFlow
from vfnb.notebook.reading import read
from vfnb.notebook.verbs import VERBS, manual, overview

_F = TypeVar("_F", bound=Callable[..., Any])
_Naming = Callable[[str], Callable[[_F], _F]]
# Which of IPython's decorators are typed, and how, depends on its version.
_in_line = cast("_Naming[Any]", line_magic)
_in_cell = cast("_Naming[Any]", cell_magic)
_as_it_stands = cast("Callable[[_F], _F]", no_var_expand)

_ABOUT = """Train the run of a large cluster on the devices you have.

    ::

{overview}

    `%vflow` is a line; as a cell, `%%vflow run ...` runs what is below first and takes its names.
    A word names a variable; $name and {{expression}} are replaced by their values.

    ::

{manuals}
    """


def _described(method: _F) -> _F:
    """Give a method the table of verbs for its documentation, which is what `%vflow?` shows."""
    manuals = "\n\n".join(manual(name) for name in VERBS if VERBS[name].flags)
    method.__doc__ = _ABOUT.format(overview=_indented(overview()), manuals=_indented(manuals))
    return method


def _indented(text: str) -> str:
    return "\n".join(f"        {line}".rstrip() for line in text.splitlines())


@magics_class
class FlowMagics(Magics):
    """The line and the cell form of `%vflow`."""

    shell: Any  # there is one wherever a magic runs

    @cached_property
    def flow(self) -> VFlow:
        """What it remembers."""
        return VFlow(self.shell)

    @_in_line("vflow")
    @_described
    def line(self, line: str) -> Any:  # noqa: D102  # the decorator gives it
        return self._done(line)

    @_in_cell("vflow")
    @_as_it_stands
    @_described
    def cell(self, line: str, cell: str) -> Any:  # noqa: D102
        self.shell.run_cell(cell).raise_error()
        # Only now: $name and {expression} may stand for what the cell has just defined.
        with suppress(Exception):  # what cannot be expanded stays as it is, as in a line
            line = DollarFormatter().vformat(line, [], self.shell.user_ns)
        return self._done(line)

    def _done(self, line: str) -> Any:
        asked = read(line)
        if isinstance(asked, str):
            print(asked)  # noqa: T201  # its answer
            return None
        verb, given = asked
        try:
            return verb.handler(self.flow, given)
        except VfnbError as error:
            raise UsageError(" ".join(str(error).split())) from None
