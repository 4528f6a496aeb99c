"""What a job could say, made up: for tests of what is drawn of it."""

from pathlib import Path
from typing import Any

import numpy as np

from vfnb.notebook.panel.told import Told
from vfnb.numerics import Course
from vfnb.runtime import Worker
from vfnb.spec import Device, Layout, Mapping

LAYOUT = Layout.of(64)


def told(steps: int = 0, **changes: Any) -> Told:
    """Make what a job of 64 virtual nodes on two workers says after some steps, a second each."""
    number = np.arange(1, steps + 1)
    columns = {
        "step": number,
        "epoch": (number - 1) // 10,
        "loss": 1.0 / number,
        "lr": np.full(steps, 0.1),
        "samples": np.full(steps, 512),
        "samples_per_second": np.full(steps, 512.0),
        "workers": np.full(steps, 2),
        "grad_norm": np.full(steps, np.nan),
        "noise_scale": np.full(steps, np.nan),
        "skipped": np.zeros(steps, bool),
        "at": 1000.0 + number,
    }
    given: dict[str, Any] = {
        "name": "made up",
        "target": "64 x V100, batch 512",
        "batch": 512,
        "run_dir": Path("nowhere"),
        "steps": 100,
        "course": Course(5120, 512),
        "state": "running",
        "workers": tuple(
            Worker(id=worker, pid=worker, device=Device("cpu", worker), virtual_nodes=32) for worker in (0, 1)
        ),
        "mapping": mapping(16, 16),
        "columns": columns | changes.pop("columns", {}),
    }
    return Told(**given | changes)


def mapping(*blocks: int, layout: Layout = LAYOUT) -> Mapping:
    """Make a mapping of consecutive blocks to workers 0, 1, ..."""
    ends = np.cumsum(blocks)
    owned = [tuple(range(end - count, end)) for end, count in zip(ends.tolist(), blocks, strict=True)]
    return Mapping(layout, tuple(enumerate(owned)))
