"""Rooms use each other by the front door, and outside libraries are named where they belong."""

import ast

import pytest
from source import PACKAGE, Module, imported_names, modules

ROOMS = sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists())
NOTEBOOK_ONLY = ("IPython", "ipywidgets", "anywidget", "plotly", "ipykernel")


def trespasses(module: Module) -> list[str]:
    """List what a file imports from behind another room's front door."""
    names = [name.split(".") for name in imported_names(module) if name.startswith("vfnb.")]
    return [".".join(parts) for parts in names if len(parts) > 2 and parts[1] != module.room]


def names_library(module: Module, library: str) -> bool:
    return any(name.split(".")[0] == library for name in imported_names(module))


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_rooms_use_each_other_by_the_front_door(module: Module) -> None:
    assert trespasses(module) == []


def test_reaching_into_another_room_is_noticed() -> None:
    text = "from vfnb.spec.device import Device\nfrom vfnb.spec import Mapping\nimport vfnb.planning.even\n"
    planted = Module(name="vfnb/planning/even.py", text=text, tree=ast.parse(text))

    assert trespasses(planted) == ["vfnb.spec.device"]


@pytest.mark.parametrize("room", ROOMS)
def test_a_front_door_holds_a_docstring_imports_and_all_alone(room: str) -> None:
    tree = ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8"))

    docstring, *rest = tree.body
    imports, others = [], []
    for node in rest:
        (imports if isinstance(node, ast.Import | ast.ImportFrom) else others).append(node)

    assert isinstance(docstring, ast.Expr)
    assert [ast.unparse(node.targets[0]) for node in others if isinstance(node, ast.Assign)] == ["__all__"]
    assert len(others) == 1


def test_only_the_worker_side_and_the_trackers_name_accelerate() -> None:
    files = [module.name for module in modules() if names_library(module, "accelerate")]

    assert files == ["vfnb/runtime/placement.py", "vfnb/runtime/tracking.py"]


@pytest.mark.parametrize("library", NOTEBOOK_ONLY)
def test_only_the_notebook_room_names(library: str) -> None:
    rooms = {module.room for module in modules() if names_library(module, library)}

    assert rooms <= {"notebook"}
