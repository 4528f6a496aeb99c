"""Runs side by side: their final numbers, their curves over each other, and the first step at which bits differ."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vfnb.figures import Trace, draw_overlay, grid, image
from vfnb.ground import SpecError
from vfnb.session.job import Job
from vfnb.session.saved import SavedRun, open_run

if TYPE_CHECKING:
    import pandas as pd

# What two runs of one experiment may differ in besides the seed: none of it enters a run's bits.
_BESIDE_THE_POINT = (
    "loader_workers", "checkpoint_every", "keep", "keep_best", "log_with", "fingerprint_every", "stuck_after",
    "rebalance", "check",
)  # fmt: skip
_DIGITS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Runs that differ only in their seed.

    Attributes:
        label: The run's name, or the first one's and how many there are.
        runs: In the order given.
    """

    label: str
    runs: tuple[SavedRun, ...]


class Comparison:
    """Several runs as they are on disk, compared with the first; `vfnb.compare` makes it.

    Args:
        runs: At least two.

    Attributes:
        runs: The runs, in the order given.
        groups: The runs that differ only in their seed, together.
    """

    def __init__(self, runs: Sequence[SavedRun]) -> None:
        self.runs = tuple(runs)
        self.groups = _groups(self.runs)

    @property
    def table(self) -> "pd.DataFrame":
        """A row a run: state, seed, step, final loss and metrics, throughput, fingerprint, `differs_at`.

        `differs_at` is the first step at which the run's fingerprint is another than the first run's; it is
        missing where no step shows one.
        """
        import pandas as pd

        rows = [_row(run, first_difference(self.runs[0].fingerprints, run.fingerprints)) for run in self.runs]
        table = pd.DataFrame(rows, index=pd.Index([run.name for run in self.runs], name="run"))
        table["differs_at"] = table["differs_at"].astype("Int64")
        return table

    @property
    def curves(self) -> "pd.DataFrame":
        """A column a group and statistic: over steps, the mean loss and its standard deviation over seeds."""
        import pandas as pd

        return pd.concat({group.label: _spread(group) for group in self.groups}, axis=1)

    @property
    def verdict(self) -> str:
        """Whether bits differ, and where first, in a sentence a run."""
        return "\n".join(_sentence(self.runs[0], run) for run in self.runs[1:])

    def __repr__(self) -> str:
        return f"{self.table.drop(columns='fingerprint').to_string()}\n{self.verdict}"

    def _repr_html_(self) -> str:
        table = self.table
        rows = [[str(name), *map(_shown, cells)] for name, *cells in table.itertuples(name=None)]
        lines = "".join(f"<div>{escape(line)}</div>" for line in self.verdict.split("\n"))
        curves = image(draw_overlay([_trace(group) for group in self.groups]))
        return f"<div>{curves}{grid([head.replace('_', ' ') for head in ('run', *table.columns)], rows)}{lines}</div>"


def compare(*runs: Job | SavedRun | str | Path) -> Comparison:
    """Put runs side by side, as they are on disk.

    Args:
        *runs: Jobs that were started, run directories, or names of runs below `vfnb-runs`.

    Returns:
        The comparison: `table`, `curves`, `verdict`; a notebook shows curves and table.

    Raises:
        SpecError: If there are less than two, or one is no run.
    """
    if len(runs) < 2:
        raise SpecError(f"compare got {len(runs)} of at least two runs; give jobs or run directories: compare(a, b)")
    return Comparison([_opened(run) for run in runs])


def first_difference(one: dict[int, str], other: dict[int, str]) -> int | None:
    """Find the first step at which two runs' fingerprints differ.

    Args:
        one: Fingerprints by step.
        other: Another run's.

    Returns:
        The step; None where all the steps that both know are equal, or there is no such step.
    """
    return min((step for step in one.keys() & other.keys() if one[step] != other[step]), default=None)


def _opened(run: Job | SavedRun | str | Path) -> SavedRun:
    match run:
        case SavedRun():
            return run
        case Job():
            if run.state == "new":
                raise SpecError(f"job {run.name!r} is not started, so there is nothing to compare; job.start() first")
            return open_run(run.run_dir)
        case str() | Path():
            return open_run(run)
        case _:
            raise SpecError(f"compare got a {type(run).__name__}; give jobs, run directories or names of runs")


def _groups(runs: Iterable[SavedRun]) -> tuple[Group, ...]:
    alike: dict[str, list[SavedRun]] = {}
    for run in runs:
        alike.setdefault(_without_seed(run), []).append(run)
    labels = [_label(group) for group in alike.values()]
    return tuple(
        # Runs of one name in several folders are told apart by these.
        Group(label=label if labels.count(label) == 1 else f"{label}, {group[0].run_dir}", runs=tuple(group))
        for label, group in zip(labels, alike.values(), strict=True)
    )


def _label(runs: Sequence[SavedRun]) -> str:
    seeds = {run.identity.fields.get("seed") for run in runs}
    if len(runs) == 1:
        return runs[0].name
    return f"{runs[0].name} ({len(runs)} runs, {len(seeds)} seed{'s' * (len(seeds) != 1)})"


def _without_seed(run: SavedRun) -> str:
    fields = dict(run.identity.fields)
    for name in ("seed", "environment", "functions"):
        fields.pop(name, None)
    model, options = dict(fields.get("model", {})), dict(fields.get("options", {}))
    model.pop("initial", None)  # a factory makes it under the seed
    for name in _BESIDE_THE_POINT:
        options.pop(name, None)
    return json.dumps(fields | {"model": model, "options": options}, sort_keys=True)


def _row(run: SavedRun, differs_at: int | None) -> dict[str, Any]:
    history = run.history
    losses = history["loss"].dropna()
    return {
        "state": run.state,
        "seed": run.identity.fields.get("seed"),
        "step": 0 if history.empty else int(history["step"].iloc[-1]),
        "loss": float("nan") if losses.empty else float(losses.iloc[-1]),
        **{f"evaluation_{name}" if name == "loss" else name: value for name, value in run.metrics.items()},
        "samples_per_second": float(history["samples_per_second"].median()),
        "fingerprint": run.fingerprint,
        "differs_at": differs_at,
    }


def _spread(group: Group) -> "pd.DataFrame":
    """Give mean and deviation over the seeds at the steps that all runs of a group have."""
    import pandas as pd

    losses = pd.concat([run.history.set_index("step")["loss"] for run in group.runs], axis=1, join="inner")
    return pd.DataFrame({"mean": losses.mean(axis=1), "deviation": losses.std(axis=1, ddof=0)})


def _trace(group: Group) -> Trace:
    spread = _spread(group)
    mean, deviation = spread["mean"], spread["deviation"]
    edges = [(mean - deviation).tolist(), (mean + deviation).tolist()] if len(group.runs) > 1 else [[], []]
    return Trace(label=group.label, steps=spread.index.tolist(), values=mean.tolist(), low=edges[0], high=edges[1])


def _sentence(first: SavedRun, other: SavedRun) -> str:
    common = first.fingerprints.keys() & other.fingerprints.keys()
    at = first_difference(first.fingerprints, other.fingerprints)
    pair = f"{first.name} and {other.name}"
    if not common:
        return f"{pair}: no step has a fingerprint in both, so their bits cannot be compared"
    if at is None:
        return f"{pair}: the same bits at all {len(common)} steps with fingerprints in both, up to step {max(common):,}"
    before = max((step for step in common if step < at), default=0)
    since = f"equal up to step {before:,}" if before else "from the first fingerprint on"
    return f"{pair}: bits differ at step {at:,} ({since})"


def _shown(value: Any) -> str:
    match value:
        case float():
            return "" if value != value else f"{value:,.4g}"  # noqa: PLR0124  # nan is not itself
        case str() if len(value) == 64:
            return f"{value[:_DIGITS]}..."
        case int():
            return f"{value:,}"
        case _:
            return "" if value is None or str(value) == "<NA>" else str(value)
