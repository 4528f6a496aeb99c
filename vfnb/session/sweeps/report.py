"""What a sweep's runs say together: tables, means with intervals over seeds, and the pictures of both."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import isfinite, nan
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from vfnb.figures import Trace, draw_by_batch, draw_overlay
from vfnb.ground import SpecError
from vfnb.session.sweeps.axes import Cell, Value, in_words
from vfnb.session.sweeps.interval import Interval, breadth, factor_interval, interval
from vfnb.session.sweeps.outcome import Outcome
from vfnb.session.sweeps.picture import Picture
from vfnb.session.sweeps.target import Target

if TYPE_CHECKING:
    import pandas as pd

Over = Literal["epoch", "step"]

_MOST = 9  # curves that a picture has room for
_POINTS = 150  # of a curve: a snapshot may hold several pictures


def cells_of(outcomes: Iterable[Outcome]) -> dict[Cell, list[Outcome]]:
    """Put runs together that differ only in their seed.

    Args:
        outcomes: The runs.

    Returns:
        The runs by cell, cells in the order of their first run.
    """
    found: dict[Cell, list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.point.cell, []).append(outcome)
    return found


def table(outcomes: Sequence[Outcome], target: Target | None) -> "pd.DataFrame":
    """Make the tidy table.

    Args:
        outcomes: The runs.
        target: What they are timed to.

    Returns:
        A row a run.
    """
    import pandas as pd

    rows = [outcome.row(target) for outcome in outcomes]
    # A run that waits has no metrics yet; whichever is first, all metrics stand before the steps.
    metrics = list(dict.fromkeys(name for outcome in outcomes for name in outcome.metrics))
    plain = list(Outcome(point=outcomes[0].point).row(target))
    place = plain.index("steps")
    made = pd.DataFrame(rows, columns=[*plain[:place], *metrics, *plain[place:]])
    if target is not None:
        made["steps_to_target"] = made["steps_to_target"].astype("Int64")
    return made


def best_known(outcomes: Sequence[Outcome], target: Target | None) -> str:
    """Choose the metric to show where none is asked for.

    Args:
        outcomes: The runs.
        target: What they are timed to.

    Returns:
        The target's metric; else the first that was evaluated; else the loss.
    """
    if target is not None:
        return target.metric
    evaluated = [name for outcome in outcomes for name in outcome.metrics]
    return next((name for name in evaluated if name != "evaluation_loss"), evaluated[0] if evaluated else "loss")


def noise_scale(outcomes: Iterable[Outcome]) -> float | None:
    """Give the gradient noise scale that was measured.

    Args:
        outcomes: The runs.

    Returns:
        The median over runs of each run's median over steps; None where no run could tell.
    """
    known = [outcome.noise_scale for outcome in outcomes if isfinite(outcome.noise_scale)]
    return median(known) if known else None


def summary(outcomes: Iterable[Outcome], metric: str, target: Target | None) -> "pd.DataFrame":
    """Give mean and 95 % interval over the seeds that are done.

    Args:
        outcomes: The runs.
        metric: Whose final value.
        target: What they are timed to.

    Returns:
        A row a cell.
    """
    import pandas as pd

    return pd.DataFrame([_summed(cell, runs, metric, target) for cell, runs in cells_of(outcomes).items()])


def chart(outcomes: Sequence[Outcome], metric: str, kept: "pd.DataFrame | None" = None) -> Picture:
    """Draw a metric's final values over batch sizes.

    Args:
        outcomes: The runs.
        metric: Which.
        kept: An earlier summary, drawn after these; None for none.

    Returns:
        A row a cell, and a curve for each choice of the further values.

    Raises:
        SpecError: If `kept` is no summary of this metric.
    """
    cells = summary(outcomes, metric, None)
    traces = _traces(cells, outcomes, metric, "") + ([] if kept is None else _kept(kept, metric))
    up = f"final {metric.replace('_', ' ')}"
    return Picture(table=cells, svg=draw_by_batch(traces, up, noise=noise_scale(outcomes)), notes=_room(len(traces)))


def steps_chart(outcomes: Sequence[Outcome], target: Target) -> Picture:
    """Draw the steps to a target over batch sizes.

    Args:
        outcomes: The runs.
        target: Which.

    Returns:
        A row a cell, and a curve for each choice of the further values.
    """
    cells = summary(outcomes, target.metric, target)
    traces = _traces(cells, outcomes, "steps_to_target", "steps_")
    svg = draw_by_batch(traces, f"steps to {target}", noise=noise_scale(outcomes), halving=True, factors=True)
    missed = [
        f"{cell} ({short} of {len(done)} runs)"
        for cell, runs in cells_of(outcomes).items()
        if (short := len(done := _done(runs)) - len(_reached(done, target)))
    ]
    said = (f"{target} was never reached, so there is no point, by {'; '.join(missed)}",) if missed else ()
    return Picture(table=cells, svg=svg, notes=(*_room(len(traces)), *said))


def curves(outcomes: Sequence[Outcome], metric: str, over: Over) -> Picture:
    """Draw a metric over training, a curve a cell: the mean of its runs with their 95 % interval.

    Args:
        outcomes: The runs; those under way count while none of their cell is done.
        metric: A column of a job's history.
        over: What stands on the axis across.

    Returns:
        A column a cell and statistic, and the curves.

    Raises:
        SpecError: If `metric` is in no history, or `over` is neither.
    """
    import pandas as pd

    if over not in ("epoch", "step"):
        raise SpecError(f"over={over!r} is not possible; give 'epoch' or 'step'")
    # A run under way may not have been evaluated yet; one that is done has all that there will be.
    there = {name for one in _done(outcomes) if one.history is not None for name in one.history.columns}
    if there and metric not in there:
        raise SpecError(f"no run has {metric!r}; there are {', '.join(sorted(there - {'step', 'epoch'}))}")
    spreads = {str(cell): _spread(runs, metric, over) for cell, runs in cells_of(outcomes).items()}
    drawn = {label: spread for label, spread in spreads.items() if not spread.empty}
    traces = [_curve(label, spread) for label, spread in drawn.items()]
    whole = pd.concat(drawn, axis=1) if drawn else pd.DataFrame()
    svg = draw_overlay(traces, metric.replace("_", " "), over)
    return Picture(table=whole, svg=svg, notes=_room(len(traces)))


def chosen(outcomes: Sequence[Outcome], where: Mapping[str, Value | Collection[Value]] | None) -> list[Outcome]:
    """Choose runs by their values.

    Args:
        outcomes: All runs.
        where: By name a value, or several; None chooses all.

    Returns:
        Those that have them.

    Raises:
        SpecError: If there is no such axis, or no run has the values.
    """
    found = list(outcomes)
    for name, wanted in (where or {}).items():
        if name not in outcomes[0].point.values:
            raise SpecError(f"where has {name!r}; the sweep goes over {', '.join(outcomes[0].point.values)}")
        values = wanted if isinstance(wanted, Collection) and not isinstance(wanted, str) else [wanted]
        found = [one for one in found if one.point.values[name] in values]
    if not found:
        raise SpecError(f"no run has {where}")
    return found


def _summed(cell: Cell, runs: Sequence[Outcome], metric: str, target: Target | None) -> dict[str, Any]:
    done = _done(runs)
    values = [value for one in done if isfinite(value := one.final(metric))]
    mean, low, high = interval(values)
    row: dict[str, Any] = {**cell.values, "runs": len(done), metric: mean, "low": low, "high": high}
    if target is not None:
        reached = _reached(done, target)
        all_there = bool(done) and len(reached) == len(done)
        steps = factor_interval(reached) if all_there else Interval(nan, nan, nan)
        row |= {"steps_to_target": steps.mean, "steps_low": steps.low, "steps_high": steps.high}
    noise = noise_scale(done)
    return row | {"noise_scale": nan if noise is None else noise}


def _done(runs: Iterable[Outcome]) -> list[Outcome]:
    return [run for run in runs if run.complete]


def _reached(runs: Iterable[Outcome], target: Target) -> list[float]:
    steps = [target.first_step(run.history) for run in runs if run.history is not None]
    return [float(step) for step in steps if step is not None]


def _kept(summed: "pd.DataFrame", metric: str) -> list[Trace]:
    """Make the curves of an earlier summary, as it was read from a file."""
    needed = {"batch", "runs", metric, "low", "high"}
    if missing := needed - set(summed.columns):
        raise SpecError(f"the kept summary has no {', '.join(sorted(missing))}; give what sweep.summary was")
    others = [*needed, "steps_to_target", "steps_low", "steps_high", "noise_scale"]
    names = [str(name) for name in summed.columns if name not in others]
    said = summed.apply(lambda row: in_words({name: row[name] for name in names}), axis=1)
    return [
        Trace(
            label=f"{setting or 'mean'}, {rows['runs'].max()} kept",
            steps=rows["batch"].tolist(),
            values=rows[metric].tolist(),
            low=rows["low"].tolist(),
            high=rows["high"].tolist(),
        )
        for setting, rows in summed.sort_values("batch").groupby(said, sort=False)
    ]


def _traces(cells: "pd.DataFrame", outcomes: Iterable[Outcome], column: str, edges: str) -> list[Trace]:
    """Make a curve over batches for each choice of the further values."""
    settings: dict[str, list[int]] = {}
    for place, cell in enumerate(cells_of(outcomes)):
        settings.setdefault(cell.setting, []).append(place)
    made = []
    for setting, places in settings.items():
        rows = cells.iloc[places].sort_values("batch")
        made.append(
            Trace(
                label=setting or "mean over seeds",
                steps=rows["batch"].tolist(),
                values=rows[column].tolist(),
                low=rows[f"{edges}low"].tolist(),
                high=rows[f"{edges}high"].tolist(),
            )
        )
    return made


def _spread(runs: Sequence[Outcome], metric: str, over: Over) -> "pd.DataFrame":
    """Give mean and interval at what all runs of a cell have: steps, or epochs gone through."""
    import pandas as pd

    series = [_series(run, metric, over) for run in _done(runs) or runs]
    columns = pd.concat(found, axis=1, join="inner") if (found := [one for one in series if not one.empty]) else None
    if columns is None:
        return pd.DataFrame(columns=["mean", "low", "high"])
    mean, half = columns.mean(axis=1), breadth(columns.shape[1]) * columns.std(axis=1)
    return pd.DataFrame({"mean": mean, "low": mean - half, "high": mean + half})


def _series(run: Outcome, metric: str, over: Over) -> "pd.Series[float]":
    import pandas as pd

    history = run.history
    if history is None or run.course is None or metric not in history:
        return pd.Series(dtype=float)
    steps = history["step"].to_numpy()
    across = steps if over == "step" else run.course.epochs_after(steps)
    return pd.Series(history[metric].to_numpy(), index=pd.Index(across, name=over)).dropna()


def _curve(label: str, spread: "pd.DataFrame") -> Trace:
    spread = spread.iloc[sorted({*range(0, len(spread), -(-len(spread) // _POINTS)), len(spread) - 1})]
    whole = bool(spread["low"].notna().any())
    edges = [spread["low"].tolist(), spread["high"].tolist()] if whole else [[], []]
    return Trace(label=label, steps=spread.index.tolist(), values=spread["mean"].tolist(), low=edges[0], high=edges[1])


def _room(curves_made: int) -> tuple[str, ...]:
    return (f"the first {_MOST} of {curves_made} curves are drawn",) if curves_made > _MOST else ()
