"""Finding the task that a command is about: a name in a module, or in a script that can be imported."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from vfnb.ground import SpecError
from vfnb.session import Task

_FORM = "give --task module:name or --task script.py:name"


def task_named(text: str) -> Task:
    """Import a task.

    Args:
        text: `module:name` or `script.py:name`; the name is of a `vfnb.Task`, or of a function without
            arguments that makes one. A script is imported: what it does without
            `if __name__ == "__main__":` is done.

    Returns:
        The task.

    Raises:
        SpecError: If there is no such module, script or name, or it is no task.
    """
    where, colon, name = text.rpartition(":")
    if not colon or not where or not name.isidentifier():
        raise SpecError(f"--task {text!r} names no task; {_FORM}")
    module = _script(Path(where)) if where.endswith(".py") else _module(where)
    found = getattr(module, name, None)
    if found is None:
        raise SpecError(f"{where} has no {name!r}; {_FORM}")
    task = found() if callable(found) and not isinstance(found, type) else found
    if not isinstance(task, Task):
        raise SpecError(f"{name} in {where} is a {type(task).__name__}; it must be a vfnb.Task or a function of one")
    return task


def _script(path: Path) -> Any:
    file = path.absolute()
    if not file.is_file():
        raise SpecError(f"there is no script {file}; {_FORM}")
    # By its plain name and from its folder, so that what it imports beside itself is found too.
    sys.path.insert(0, str(file.parent))
    module = _module(file.stem)
    if Path(str(getattr(module, "__file__", ""))).absolute() != file:
        raise SpecError(f"{file.name} has the name of another module that is here already; rename the script")
    return module


def _module(name: str) -> Any:
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and name.startswith(error.name):
            raise SpecError(f"there is no module {name!r} here; {_FORM}") from error
        raise
