"""A sweep as its owner holds it: read while it trains, waited for, stopped."""

import sys
from collections.abc import Callable, Collection, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from vfnb.figures import grid
from vfnb.ground import Clock, face, has_face
from vfnb.session.job import Job
from vfnb.session.sweeps import report
from vfnb.session.sweeps.axes import Value
from vfnb.session.sweeps.crew import Crew
from vfnb.session.sweeps.outcome import Outcome
from vfnb.session.sweeps.picture import Picture
from vfnb.session.sweeps.target import Target
from vfnb.session.waiting import ends_within

if TYPE_CHECKING:
    import pandas as pd

_MOST = 4  # choices of the further values whose curves a snapshot shows
_BAND = "Points and curves are means over the seeds that are done, bars and bands Student's 95 % interval for the mean."


class Sweep:
    """Jobs over batches, seeds and further values; `vfnb.sweep` makes it.

    Nothing that is read waits for the workers. What is drawn counts a run once it is done; curves show those under way
    where none of their cell is done.

    Args:
        folder: Its directory.
        over: What stands below its curves.
        target: What its runs are timed to.
        crew: Trains them.
        clock: Measures waiting.

    Attributes:
        name: Its directory's name.
        run_dir: Its directory, with a directory a run and the table as table.csv.
        target: What its runs are timed to; None where nothing is.
    """

    def __init__(self, folder: Path, *, over: report.Over, target: Target | None, crew: Crew, clock: Clock) -> None:
        self.name, self.run_dir, self.target = folder.name, folder, target
        self._over, self._crew, self._clock = over, crew, clock

    @property
    def running(self) -> bool:
        """Whether runs train or are still to be begun."""
        return not self._crew.join(0)

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The jobs that train now, each to be looked at and steered by itself."""
        return self._crew.jobs

    @property
    def table(self) -> "pd.DataFrame":
        """A row a run: batch, seed, further values, state, final metrics, steps, seconds, fingerprint, ...

        `steps_to_target` is the step after which the target was reached first; `noise_scale` the median over steps.
        """
        return report.table(self._crew.outcomes(), self.target)

    @property
    def summary(self) -> "pd.DataFrame":
        """A row a batch and further values: the metric's mean and 95 % interval over the seeds that are done."""
        outcomes = self._crew.outcomes()
        return report.summary(outcomes, self._metric(outcomes, None), self.target)

    @property
    def noise_scale(self) -> float | None:
        """The gradient noise scale in samples: the median over runs of each one's median; None where none could tell.

        A run needs two blocks of virtual nodes to measure it.
        """
        return report.noise_scale(self._crew.outcomes())

    def curves(
        self,
        metric: str | None = None,
        *,
        over: report.Over | None = None,
        where: Mapping[str, Value | Collection[Value]] | None = None,
    ) -> Picture:
        """Overlay a metric's curves, the mean over seeds with its 95 % interval.

        Args:
            metric: A column of a job's history; None takes the target's, or the first that is evaluated.
            over: "epoch" or "step"; None takes that in which the sweep's length was given.
            where: Which runs, such as `{"rule": "linear", "batch": [32, 64]}`; None takes all.

        Returns:
            `table` and `svg`; a notebook shows the drawing.
        """
        outcomes = report.chosen(self._crew.outcomes(), where)
        return report.curves(outcomes, self._metric(outcomes, metric), self._over if over is None else over)

    def chart(self, metric: str | None = None, *, kept: "pd.DataFrame | None" = None) -> Picture:
        """Draw a metric's final value over batch sizes, with the measured noise scale.

        Args:
            metric: As for `curves`.
            kept: The `summary` of an earlier sweep, such as one with more seeds read from a file, drawn beside.

        Returns:
            `table` and `svg`; a notebook shows the drawing.
        """
        outcomes = self._crew.outcomes()
        return report.chart(outcomes, self._metric(outcomes, metric), kept)

    def steps_chart(self) -> Picture | None:
        """Draw the steps to the target over batch sizes, with what perfect scaling would take and the noise scale.

        Returns:
            `table` and `svg`; None where there is no target.
        """
        return None if self.target is None else report.steps_chart(self._crew.outcomes(), self.target)

    def wait(self, timeout: float | None = None) -> None:
        """Wait until every run has ended; a run that failed says so in `table`.

        An interrupt ends the waiting and not the sweep.

        Args:
            timeout: Seconds to wait at most; None waits as long as it takes.

        Raises:
            TimeoutError: If the time ran out first; the sweep goes on.
        """
        try:
            if not ends_within(self._crew.join, timeout, self._clock):
                raise TimeoutError(f"sweep {self.name!r} is not done after {timeout} s of waiting; it goes on")
        except KeyboardInterrupt:
            sys.stdout.write(f"sweep {self.name!r} goes on; sweep.stop() ends it\n")

    def stop(self) -> None:
        """Begin no further run, and end those that train at their next step; called again, at once.

        The same call of `vfnb.sweep` goes on: with what was stopped from its checkpoint.
        """
        self._crew.stop()

    def dashboard(self) -> object:
        """Make what shows the sweep live; a notebook shows the same for the sweep itself.

        Returns:
            What a notebook shows when it stands at a cell's end.
        """
        made: Callable[[Sweep], object] = face("sweep")
        return made(self)

    def __repr__(self) -> str:
        outcomes = self._crew.outcomes()
        shown = report.summary(outcomes, self._metric(outcomes, None), self.target)
        failed = [f"{one.point}: {one.error}" for one in outcomes if one.error]
        return "\n".join([f"<Sweep {self.name!r}, {_counted(outcomes)}>", shown.to_string(index=False), *failed])

    def _repr_html_(self) -> str:
        outcomes = self._crew.outcomes()
        metric = self._metric(outcomes, None)
        pictures = [report.chart(outcomes, metric)]
        if self.target is not None:
            pictures.append(report.steps_chart(outcomes, self.target))
        drawn = "".join(picture._repr_html_() for picture in pictures) + self._all_curves(outcomes, metric)
        cells = report.summary(outcomes, metric, self.target)
        rows = [[_shown(value) for value in row] for row in cells.itertuples(index=False, name=None)]
        heads = [str(name).replace("_", " ") for name in cells.columns]
        failed = "".join(f"<div>{escape(f'{one.point}: {one.error}')}</div>" for one in outcomes if one.error)
        head = f"<div><b>{escape(self.name)}</b>: {escape(_counted(outcomes))}</div>"
        return f"<div>{head}{drawn}<div>{_BAND}</div>{grid(heads, rows)}{failed}</div>"

    def _ipython_display_(self) -> None:
        if not self.running or not has_face("sweep"):
            raise NotImplementedError  # so IPython is told to take the representations above
        self.dashboard()._ipython_display_()  # type: ignore[attr-defined]  # a face shows itself

    def _all_curves(self, outcomes: list[Outcome], metric: str) -> str:
        """Draw a picture for each choice of the further values: one for all would be a thicket."""
        settings: dict[str, list[Outcome]] = {}
        for outcome in outcomes:
            settings.setdefault(outcome.point.cell.setting, []).append(outcome)
        shown = list(settings.items())[:_MOST]
        drawn = [
            f"<div><b>{escape(setting)}</b></div>{report.curves(runs, metric, self._over)._repr_html_()}"
            for setting, runs in shown
        ]
        rest = f"<div>curves of the first {_MOST} of {len(settings)}: sweep.curves(where=) draws others</div>"
        return "".join(drawn) + (rest if len(settings) > _MOST else "")

    def _metric(self, outcomes: list[Outcome], given: str | None) -> str:
        return report.best_known(outcomes, self.target) if given is None else given


def _counted(outcomes: list[Outcome]) -> str:
    """Say how many runs are in each state."""
    states = ["done" if one.complete else one.state for one in outcomes]
    counts = [f"{states.count(state)} {state}" for state in dict.fromkeys(states)]
    return f"{len(outcomes)} run{'s' * (len(outcomes) != 1)}: {', '.join(counts)}"


def _shown(value: object) -> str:
    match value:
        case bool() | str():
            return str(value)
        case float():
            return "" if value != value else f"{value:,.4g}"  # noqa: PLR0124  # nan is not itself
        case _:
            return f"{value:,}" if isinstance(value, int) else str(value)
