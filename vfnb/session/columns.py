"""A job's history as growing columns, so that a table of many steps is made in well under a millisecond."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from vfnb.spec import Row

if TYPE_CHECKING:
    import pandas as pd

_KINDS: dict[str, Any] = {
    "step": np.int64,
    "epoch": np.int64,
    "loss": np.float64,
    "lr": np.float64,
    "samples": np.int64,
    "samples_per_second": np.float64,
    "workers": np.int64,
    "grad_norm": np.float64,
    "noise_scale": np.float64,
    "skipped": np.bool_,
    "at": np.float64,
}
_FIRST_ROOM = 256


class Columns:
    """Rows by step, stored as one array a column; a step that comes again replaces its row."""

    def __init__(self) -> None:
        assert set(_KINDS) == {one.name for one in fields(Row)} - {"metrics", "fingerprint"}, (
            "a field of Row has no column"
        )
        self._arrays = {name: np.zeros(_FIRST_ROOM, kind) for name, kind in _KINDS.items()}
        self._places: dict[int, int] = {}
        self._ordered = True

    def __len__(self) -> int:
        return len(self._places)

    def put(self, row: Row) -> None:
        """Add a row, or replace that of its step.

        Args:
            row: The row.
        """
        place = self._places.get(row.step)
        if place is None:
            place = len(self._places)
            self._ordered = self._ordered and (place == 0 or row.step > self._arrays["step"][place - 1])
            self._places[row.step] = place
            self._make_room(place + 1)
        for name in _KINDS:
            value = getattr(row, name)
            self._arrays[name][place] = np.nan if value is None else value
        for column in self._measured():
            self._arrays[column][place] = np.nan
        for name, number in row.metrics.items():
            self._metric(name)[place] = number

    def frame(self) -> "pd.DataFrame":
        """Make a table of the rows, ascending by step; the caller may change it.

        Returns:
            A row a step; metrics stand as nan where nothing was evaluated.
        """
        import pandas as pd

        count = len(self)
        columns = {name: array[:count].copy() for name, array in self._arrays.items()}
        if not self._ordered:
            order = np.argsort(columns["step"])
            columns = {name: array[order] for name, array in columns.items()}
        return pd.DataFrame(columns, copy=False)

    def _measured(self) -> list[str]:
        return [name for name in self._arrays if name not in _KINDS]

    def _metric(self, name: str) -> "np.ndarray[Any, np.dtype[np.float64]]":
        column = f"evaluation_{name}" if name in _KINDS else name
        if column not in self._arrays:
            self._arrays[column] = np.full(len(self._arrays["step"]), np.nan)
        return self._arrays[column]

    def _make_room(self, count: int) -> None:
        room = len(self._arrays["step"])
        if count <= room:
            return
        for name, array in self._arrays.items():
            blank = np.full(room, np.nan) if name not in _KINDS else np.zeros(room, array.dtype)
            self._arrays[name] = np.concatenate([array, blank])


def measured(history: "pd.DataFrame") -> list[str]:
    """Name a history's metrics.

    Args:
        history: As `frame` makes it.

    Returns:
        The columns that evaluations gave.
    """
    return [str(name) for name in history.columns if name not in _KINDS]
