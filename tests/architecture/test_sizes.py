"""Files and functions stay small enough to read, and every file says what it owns."""

import ast

import pytest
from source import PACKAGE, ROOT, Function, Module, code_lines, functions, modules

FILE_LINES = 400
FUNCTION_LINES = 40

SOURCES = modules(PACKAGE)
EVERYTHING = (*SOURCES, *modules(ROOT / "tests"), *modules(ROOT / "benchmarks"), *modules(ROOT / "notebooks"))


def too_long(module: Module) -> list[str]:
    """List a file's functions that are longer than a reader can hold."""
    return [
        f"{function.name}: {lines}"
        for function in functions(module)
        if (lines := code_lines(function, module.text)) > FUNCTION_LINES
    ]


@pytest.mark.parametrize("module", EVERYTHING, ids=lambda module: module.name)
def test_a_file_is_at_most_400_lines(module: Module) -> None:
    assert len(module.text.splitlines()) <= FILE_LINES


@pytest.mark.parametrize("module", SOURCES, ids=lambda module: module.name)
def test_a_function_is_at_most_40_lines_of_code(module: Module) -> None:
    assert too_long(module) == []


@pytest.mark.parametrize("module", SOURCES, ids=lambda module: module.name)
def test_a_file_says_what_it_owns(module: Module) -> None:
    assert ast.get_docstring(module.tree)


def test_a_function_of_41_lines_is_noticed() -> None:
    text = 'def long():\n    """Say\n\n    much."""\n    # why\n\n' + "    x = 1\n" * FUNCTION_LINES
    planted = Module(name="vfnb/spec/long.py", text=text, tree=ast.parse(text))

    assert too_long(planted) == [f"long: {FUNCTION_LINES + 1}"]
    assert isinstance(planted.tree.body[0], Function)
