"""The public face is frozen: what a user can name changes only together with this file."""

import subprocess
import sys

import pytest

import vfnb

PUBLIC = [
    "CheckpointError",
    "Estimate",
    "Job",
    "Options",
    "Plan",
    "PlanError",
    "Pool",
    "Profile",
    "Resized",
    "SpecError",
    "StateError",
    "Task",
    "TrainingError",
    "VfnbError",
    "VirtualCluster",
    "Weighted",
    "WorkerLostError",
    "__version__",
    "compare",
    "devices",
    "estimate",
    "load_ipython_extension",
    "open_run",
    "papers",
    "plan",
    "profile",
    "runs",
    "sweep",
    "unload_ipython_extension",
    "verify",
]

HEAVY = ("torch", "accelerate", "torchmetrics", "pandas", "IPython", "ipywidgets", "anywidget", "plotly")


def test_public_names_are_these() -> None:
    assert vfnb.__all__ == PUBLIC, "a changed public name also changes this list, the docs and CHANGELOG.md"


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(vfnb, name) is not None


def test_completion_shows_names_that_are_not_loaded_yet() -> None:
    assert dir(vfnb) == PUBLIC


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Jobs'"):
        _ = vfnb.Jobs


@pytest.mark.parametrize("module", ["vfnb", "vfnb.ground", "vfnb.spec", "vfnb.planning", "vfnb.simulation"])
def test_light_rooms_load_no_heavy_library(module: str) -> None:
    code = f"import {module}, sys; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert loaded.stdout.split() == []
