"""What a sweep goes over: batches, seeds and further values by name; a point of them is a run."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from operator import index
from typing import Any

from vfnb.ground import SpecError

Value = bool | int | float | str

# What else a sweep's tables have; metrics come from the task.
RESERVED = (
    "batch", "seed", "loss", "steps", "steps_to_target", "seconds", "noise_scale", "nodes", "state", "fingerprint",
    "run", "error", "runs", "low", "high", "steps_low", "steps_high",
)  # fmt: skip
_APART = frozenset("/\\~\0")  # they would end a directory's name, or say which attempt it is


@dataclass(frozen=True, slots=True)
class Cell:
    """Runs that differ only in their seed.

    Args:
        batch: Their global batch.
        grid: Their further values by name.
    """

    batch: int
    grid: tuple[tuple[str, Value], ...] = ()

    @property
    def values(self) -> dict[str, Value]:
        """The batch and the further values, by name."""
        return {"batch": self.batch, **dict(self.grid)}

    @property
    def setting(self) -> str:
        """The further values in words; empty where there are none."""
        return in_words(dict(self.grid))

    def __str__(self) -> str:
        return ", ".join(filter(None, (f"batch {self.batch:,}", self.setting)))


@dataclass(frozen=True, slots=True)
class Point:
    """A run of a sweep.

    Args:
        cell: Its batch and further values.
        seed: Its seed.
    """

    cell: Cell
    seed: int

    @property
    def values(self) -> dict[str, Value]:
        """What a row of the table begins with, and a task factory is called with."""
        return {"batch": self.cell.batch, "seed": self.seed, **dict(self.cell.grid)}

    @property
    def name(self) -> str:
        """Its directory, such as "batch-32-seed-0-lr-0.1"."""
        return "-".join(f"{name}-{value}" for name, value in self.values.items())

    def __str__(self) -> str:
        return f"{self.cell}, seed {self.seed}"


def in_words(values: Mapping[str, Value]) -> str:
    """Say which values these are; a text that stands alone needs no name before it.

    Args:
        values: By name.

    Returns:
        Such as "lr 0.1, momentum 0.9", or "adamw".
    """
    only = next(iter(values.values())) if len(values) == 1 else None
    return only if isinstance(only, str) else ", ".join(f"{name} {value}" for name, value in values.items())


def points_of(batches: Iterable[int], seeds: Iterable[int], grid: Mapping[str, Iterable[Value]] | None) -> list[Point]:
    """Make every run's point: all of the first seed before the next, so that a whole picture is there early.

    Args:
        batches: Global batches.
        seeds: Seeds.
        grid: Further values by name.

    Returns:
        The points, each once.

    Raises:
        SpecError: If an axis is empty, or has a value that a table or a directory's name cannot hold.
    """
    sizes = _axis("batches", batches, lambda value: _whole("batches", value, least=1))
    chances = _axis("seeds", seeds, lambda value: _whole("seeds", value, least=0))
    if grid is not None and not isinstance(grid, Mapping):
        raise SpecError(f"grid={grid!r} names no axes; give a dictionary such as {{'lr': [0.1, 0.2]}}")
    further = {_name(name): _axis(str(name), values, _value) for name, values in (grid or {}).items()}
    settings = [tuple(zip(further, values, strict=True)) for values in product(*further.values())]
    cells = [Cell(batch, setting) for setting in settings for batch in sizes]
    points = [Point(cell, seed) for seed in chances for cell in cells]
    alike = [name for name, times in Counter(point.name for point in points).items() if times > 1]
    if alike:
        raise SpecError(f"two runs would be kept as {alike[0]!r}; give values that are written differently")
    return points


def _axis(name: str, values: Any, checked: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise SpecError(f"{name}={values!r} is no list; give one, such as {name}=[{values!r}]")
    found = list(dict.fromkeys(map(checked, values)))
    if not found:
        raise SpecError(f"{name} is empty, so there is nothing to train; give a value or more")
    return found


def _whole(name: str, value: Any, *, least: int) -> int:
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or number < least:
        raise SpecError(f"{name} has {value!r}; give whole numbers of at least {least}")
    return number


def _name(name: Any) -> str:
    if not isinstance(name, str) or not name.isidentifier():
        raise SpecError(f"grid has {name!r}, which cannot name an argument of the task factory; give a word like 'lr'")
    if name in RESERVED:
        raise SpecError(f"grid has {name!r}, which a sweep's table has already; give another name")
    return name


def _value(value: Any) -> Value:
    plain = value.item() if hasattr(value, "item") else value
    if not isinstance(plain, bool | int | float | str):
        raise SpecError(
            f"grid has {value!r}, which no table can hold; give numbers or words, and let the task factory make "
            f"of them what they stand for"
        )
    if isinstance(plain, str) and (not plain or set(plain) & _APART):
        raise SpecError(f"grid has {plain!r}, which cannot be part of a directory's name; give a word such as 'adamw'")
    return plain
