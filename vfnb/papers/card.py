"""A recipe as people read it: what was published, how, how it runs here, and what either takes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from vfnb.figures import grid
from vfnb.ground import SpecError
from vfnb.papers.experiment import experiment, target
from vfnb.papers.reading import find_recipe
from vfnb.papers.recipe import SCALES, Cell, Growth, Recipe, Results, Version
from vfnb.papers.sets import Source
from vfnb.planning import Estimate, duration
from vfnb.session import estimate

_HEADS = {"full": "as it was published", "gpu": "on one GPU", "binder": "here, on one core"}
_STATUS = {
    "read": "read there",
    "told": "as told there, or by its readers",
    "recalled": "recalled, and not compared with the paper since",
    "measured": "measured",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a card.

    Attributes:
        head: Its heading.
        lines: Words and what they stand for.
        changes: What differs from the paper.
        tables: Results.
    """

    head: str
    lines: tuple[tuple[str, str], ...] = ()
    changes: tuple[str, ...] = ()
    tables: tuple[Results, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Card:
    """A recipe's card; a notebook shows it as tables, a terminal as text.

    Attributes:
        recipe: The recipe.
        sections: What was published, then a section a scale, the largest first.
    """

    recipe: Recipe
    sections: tuple[Section, ...]

    def __repr__(self) -> str:
        return "\n".join(_text(self))

    def _repr_html_(self) -> str:
        return "".join(_html(self))


def card(name: str) -> Card:
    """Show a recipe: the published tables, the full and the scaled experiment, and time estimates for both.

    Args:
        name: The recipe's, as `list()` has it.

    Returns:
        The card.
    """
    recipe = find_recipe(name)
    versions = [_section(recipe, scale) for scale in reversed(SCALES) if scale in recipe.versions]
    return Card(recipe=recipe, sections=(Section(head="published", tables=recipe.published), *versions))


def _section(recipe: Recipe, scale: str) -> Section:
    version = recipe.versions[scale]
    length = f"{version.epochs} epochs" if version.steps is None else f"{version.steps:,} steps"
    lines = [
        ("model, data", f"{version.model}, {version.data}"),
        ("target", str(target(version))),
        ("optimizer", _settings(version.optimizer)),
        ("rate", _rate(version)),
        ("schedule", "constant" if version.schedule is None else _settings(version.schedule)),
        *([] if version.growth is None else [("batch", _growth(version.growth))]),
        ("length", length),
        ("on the target", _takes(recipe, scale)),
    ]
    if version.cpu_seconds is not None:
        lines.append(("measured", f"{version.cpu_seconds:g} s a run on one thread of a 2-core Xeon, by a plain loop"))
    elif scale != "full":
        lines.append(("measured", "nothing yet" if version.found is None else "the results below, no time"))
    lines.append(("run it", f'vfnb.papers.load("{recipe.name}", "{scale}").job(devices=1)'))
    found = () if version.found is None else (version.found,)
    return Section(head=_HEADS[scale], lines=tuple(lines), changes=version.changes, tables=found)


def _takes(recipe: Recipe, scale: str) -> str:
    """Say how long a version would take on its target; what is not there to be counted is said in its place."""
    try:
        found = _estimate(recipe, scale)
    except SpecError as error:
        return f"not estimated: {error}"
    span = found.run_seconds
    if span is None:
        return f"{duration(found.step_seconds.mid)} a step (an estimate)"
    return f"{duration(span.mid)}, {duration(span.low)} to {duration(span.high)} (an estimate)"


def _estimate(recipe: Recipe, scale: str) -> Estimate:
    version = recipe.versions[scale]
    cluster = target(version)
    if cluster.row is None:
        raise SpecError("the paper's devices are not known here")
    known = version.known
    if known is None and scale != "binder":
        raise SpecError("its model and data are not loaded for a card")
    if known is None:
        ready = experiment(recipe, scale, batch=None, source=Source())
        return estimate(ready.task, cluster, epochs=version.epochs, steps=version.steps)
    steps = version.steps
    if steps is None and version.epochs is not None:
        steps = max(1, version.epochs * known["samples"] // version.global_batch)
    return estimate(known["model"], cluster, steps=steps, sequence=known.get("sequence"))


def _rate(version: Version) -> str:
    lr, scaling = version.optimizer["lr"], version.scaling
    return f"{lr:g}" if scaling is None else f"{lr:g} at batch {scaling.base_batch:,}, by the {scaling.rule} rule"


def _growth(growth: Growth) -> str:
    return f"{growth.factor} times as large after {' and after '.join(map(str, growth.after))} epochs"


def _settings(given: Mapping[str, Any]) -> str:
    name, rest = given["name"], {key: value for key, value in given.items() if key not in ("name", "lr")}
    said = ", ".join(f"{key} {_setting(value)}" for key, value in rest.items())
    return f"{name}: {said}" if said else str(name)


def _setting(value: Any) -> str:
    match value:
        case dict():
            return f"({', '.join(f'{key} {_setting(one)}' for key, one in value.items())})"
        case list():
            return ", ".join(map(_setting, value))
        case float():
            return f"{value:.4g}"
        case _:
            return str(value)


def _cell(cell: Cell) -> str:
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def _origin(results: Results) -> str:
    return f"{results.source}: {_STATUS[results.status]}"


def _text(shown: Card) -> Iterator[str]:
    yield f"{shown.recipe.name}: {shown.recipe.claim}"
    yield str(shown.recipe.paper)
    for section in shown.sections:
        yield f"\n== {section.head}"
        width = max((len(head) for head, _ in section.lines), default=0)
        yield from (f"{head:<{width}}  {said}" for head, said in section.lines)
        yield from (f"- {one}" for one in section.changes)
        for results in section.tables:
            yield from _table(results)


def _table(results: Results) -> Iterator[str]:
    rows = [results.columns, *(tuple(map(_cell, row)) for row in results.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    yield f"\n{results.about}"
    yield from ("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    yield f"({_origin(results)})"


def _html(shown: Card) -> Iterator[str]:
    recipe = shown.recipe
    yield f"<div><b>{escape(recipe.name)}</b>: {escape(recipe.claim)}<br><i>{escape(str(recipe.paper))}</i>"
    for section in shown.sections:
        yield f"<h4>{escape(section.head)}</h4>"
        if section.lines:
            yield grid(("", ""), section.lines)
        if section.changes:
            yield f"<ul>{''.join(f'<li>{escape(one)}</li>' for one in section.changes)}</ul>"
        for results in section.tables:
            yield f"<p>{escape(results.about)}</p>"
            yield grid(results.columns, [tuple(map(_cell, row)) for row in results.rows])
            yield f"<small>{escape(_origin(results))}</small>"
    yield "</div>"
