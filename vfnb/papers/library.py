"""What users call: the list of recipes, and a recipe made into an experiment that can be run."""

from pathlib import Path
from typing import TYPE_CHECKING

from vfnb.papers.experiment import Experiment, experiment
from vfnb.papers.reading import find_recipe, recipes
from vfnb.papers.recipe import SCALES, Recipe, Scale, Version
from vfnb.papers.sets import Source

if TYPE_CHECKING:
    import pandas as pd


def list() -> "pd.DataFrame":  # noqa: A001  # read as vfnb.papers.list()
    """List the recipes.

    Returns:
        A row a recipe, by its name: the paper, its claim, model, data and batch, and the scales it can be run at with
        the seconds that the smallest takes on one core.
    """
    import pandas as pd  # late: workers load this package, and need no tables

    rows = [_row(recipe) for recipe in recipes().values()]
    return pd.DataFrame(rows).set_index("name")


def load(
    name: str,
    scale: Scale = "binder",
    *,
    batch: int | None = None,
    data: str | Path | None = None,
    model: str | None = None,
) -> Experiment:
    """Make a published experiment ready to run.

    Args:
        name: The recipe's, as `list()` has it.
        scale: "binder" runs in minutes on one core, "gpu" in hours on one, "full" is what was published.
        batch: Another global batch; rate, steps and virtual nodes follow it. None keeps the recipe's.
        data: A folder or data set of your own in place of the usual one.
        model: Weights of your own, by folder or name for transformers.

    Returns:
        Task, cluster and what a Job needs beside; `load(name).job(devices=2)` makes the job.
    """
    return experiment(find_recipe(name), scale, batch=batch, source=Source(data=data, model=model))


def _row(recipe: Recipe) -> dict[str, object]:
    shown = _published(recipe)
    here = recipe.versions.get("binder")
    return {
        "name": recipe.name,
        "paper": f"{recipe.paper.authors} {recipe.paper.year}",
        "claim": recipe.claim,
        "model": shown.model,
        "data": shown.data,
        "batch": shown.global_batch,
        "scales": ", ".join(scale for scale in SCALES if scale in recipe.versions),
        "seconds": None if here is None else here.cpu_seconds,
    }


def _published(recipe: Recipe) -> Version:
    """Give the version that is nearest to what was published."""
    return next(recipe.versions[scale] for scale in reversed(SCALES) if scale in recipe.versions)
