"""Recipe files read strictly: a missing, unknown or ill-typed field is one sentence that names where it stands."""

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from vfnb.ground import SpecError
from vfnb.papers.recipe import Growth, Paper, Recipe, Results, Scaling, Version

_FOLDER = Path(__file__).parent / "recipes"
_RECORDS = (Growth, Paper, Recipe, Results, Scaling, Version)
_T = TypeVar("_T")


@cache
def recipes() -> Mapping[str, Recipe]:
    """Read all recipes of the package.

    Returns:
        By name, in the order of their names.
    """
    found = {file.stem: read_recipe(file.read_text(encoding="utf-8"), file.stem) for file in _FOLDER.glob("*.toml")}
    return dict(sorted(found.items()))


def find_recipe(name: str) -> Recipe:
    """Give a recipe by its name.

    Args:
        name: The name.

    Returns:
        The recipe.

    Raises:
        SpecError: If there is none of this name.
    """
    found = recipes().get(name)
    if found is None:
        near = get_close_matches(str(name), recipes(), n=3, cutoff=0.0)
        raise SpecError(f"recipe {name!r} is unknown; the nearest are {', '.join(near)}, and %vflow paper lists all")
    return found


def read_recipe(text: str, name: str) -> Recipe:
    """Read a recipe.

    Args:
        text: A recipe file's, in TOML.
        name: The recipe's, which is the file's.

    Returns:
        The recipe.

    Raises:
        SpecError: If a field is missing, unknown, or not of its kind.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"recipe {name} is no TOML: {error}") from error
    return _record(Recipe, {"name": name} | table, f"recipe {name}")


def _record(kind: type[_T], table: Any, where: str) -> _T:
    if not isinstance(table, dict):
        raise SpecError(f"{where} is {table!r}; write a table with the fields {', '.join(_names(kind))}")
    for field in table:
        if field not in _names(kind):
            near = get_close_matches(field, _names(kind), n=1, cutoff=0.0)[0]
            raise SpecError(f"{where} has the unknown field {field!r}; did you mean {near!r}?")
    for one in fields(kind):  # type: ignore[arg-type]  # a dataclass
        if one.name not in table and one.default is MISSING:
            raise SpecError(f"{where} lacks the field {one.name!r}")
    hints = get_type_hints(kind)
    values = {name: _value(hints[name], value, f"{where}, {name}") for name, value in table.items()}
    try:
        return kind(**values)
    except SpecError as error:
        raise SpecError(f"{where}: {error}") from error


def _names(kind: type) -> list[str]:
    return [one.name for one in fields(kind)]


def _value(hint: Any, value: Any, where: str) -> Any:
    """Read one value as its field is annotated: a record, a tuple, a table, one of several plain kinds, or one."""
    origin, inside = get_origin(hint), get_args(hint)
    if isinstance(hint, UnionType):
        kinds = [one for one in inside if one is not type(None)]
        return _value(kinds[0], value, where) if len(kinds) == 1 else _plain(tuple(kinds), value, where)
    if hint in _RECORDS:
        return _record(hint, value, where)
    if origin is tuple:
        items = enumerate(_plain((list,), value, where), start=1)
        return tuple(_value(inside[0], one, f"{where} {number}") for number, one in items)
    if origin is Mapping:
        return {key: _value(inside[1], one, f"{where}.{key}") for key, one in _plain((dict,), value, where).items()}
    # A Literal is checked by its record.
    return value if hint is Any or origin is Literal else _plain((hint,), value, where)


_KINDS = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


def _plain(kinds: tuple[type, ...], value: Any, where: str) -> Any:
    given = type(value)
    if given in kinds or (given is int and float in kinds):
        return value
    raise SpecError(f"{where} is {value!r}; write {' or '.join(_KINDS[one] for one in kinds)}")
