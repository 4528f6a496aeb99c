"""The project's own source as syntax trees, for the tests that hold its architecture."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "vfnb"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One source file."""

    name: str  # from the repository's root, with slashes
    text: str
    tree: ast.Module

    @property
    def room(self) -> str:
        """The room the file stands in; empty for the package's own `__init__`."""
        parts = self.name.split("/")
        return parts[1] if len(parts) > 2 else ""


@cache
def modules(folder: Path = PACKAGE) -> tuple[Module, ...]:
    """Read every Python file under a folder of the repository."""
    return tuple(
        Module(name=path.relative_to(ROOT).as_posix(), text=text, tree=ast.parse(text))
        for path in sorted(folder.rglob("*.py"))
        if (text := path.read_text(encoding="utf-8")) is not None
    )


def imported_names(module: Module) -> Iterator[str]:
    """Give the dotted name of every module that a file imports, at the top or inside a function."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def functions(module: Module) -> Iterator[Function]:
    """Give every function and method of a file, nested ones too."""
    for node in ast.walk(module.tree):
        if isinstance(node, Function):
            yield node


def code_lines(function: Function, text: str) -> int:
    """Count a function's lines without its docstring, blank lines and comments."""
    docstring = range(0)
    first = function.body[0]
    if ast.get_docstring(function) is not None:
        docstring = range(first.lineno, (first.end_lineno or first.lineno) + 1)
    lines = text.splitlines()
    numbers = range(function.lineno, (function.end_lineno or function.lineno) + 1)
    return sum(
        1
        for number in numbers
        if number not in docstring and (line := lines[number - 1].strip()) and not line.startswith("#")
    )
