"""A measured figure, what it is held to, and how figures are printed and kept."""

import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One row of the table.

    Attributes:
        what: What was measured.
        value: The figure: a median where there were several.
        unit: Of the figure and its range.
        low: The smallest measured, or the lower end of an interval.
        high: The largest measured, or the upper end.
        bound: What the figure is held to; None where it is only reported.
        sense: Whether the figure must be at least or at most the bound.
        note: How it was measured, in a few words.
    """

    what: str
    value: float
    unit: str
    low: float
    high: float
    bound: float | None = None
    sense: Literal["at least", "at most"] = "at least"
    note: str = ""

    @property
    def holds(self) -> bool | None:
        """Say whether the bound is held; None where there is none."""
        if self.bound is None:
            return None
        return self.value >= self.bound if self.sense == "at least" else self.value <= self.bound


def spread(values: Sequence[float]) -> tuple[float, float, float]:
    """Give median, smallest and largest."""
    return median(values), min(values), max(values)


def machine() -> dict[str, str]:
    """Describe what the figures were measured with."""
    names = ("torch", "accelerate", "numpy")
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0))),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        **{name: version(name) for name in names},
    }


def lines(figures: Sequence[Figure]) -> list[str]:
    """Lay figures out as a Markdown table.

    Args:
        figures: In the order of the table.

    Returns:
        A line a row, its head first.
    """
    rows = [("what", "measured", "range", "held to", "holds"), ("---",) * 5]
    for one in figures:
        held = "reported" if one.bound is None else f"{one.sense} {_number(one.bound)}"
        holds = {None: "", True: "yes", False: "no"}[one.holds]
        spread = f"{_number(one.low)} to {_number(one.high)}"
        rows.append((one.what, f"{_number(one.value)} {one.unit}".strip(), spread, held, holds))
    return [f"| {' | '.join(row)} |" for row in rows]


def keep(path: Path, figures: Sequence[Figure]) -> None:
    """Write figures as JSON.

    Args:
        path: Of the file; its folder is made.
        figures: The rows.
    """
    rows = [asdict(one) | {"holds": one.holds} for one in figures]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": machine(), "figures": rows}, indent=1) + "\n", encoding="utf-8")


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def _processor() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
