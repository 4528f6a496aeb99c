"""The threads that train a sweep's runs, each with devices of its own, and what came of the runs so far."""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event as Flag
from threading import Lock, Thread

from vfnb.ground import CheckpointError, Clock, StateError
from vfnb.runtime import newest_checkpoint
from vfnb.session.job import Job
from vfnb.session.sweeps.axes import Point
from vfnb.session.sweeps.folder import Folder
from vfnb.session.sweeps.outcome import Live, Outcome, from_disk, one_line
from vfnb.session.sweeps.recipe import MAKING, Recipe
from vfnb.spec import Device

_logger = logging.getLogger("vfnb")


class Crew:
    """A sweep's runs on their way.

    Args:
        recipe: Makes each job.
        points: The runs, in the order to train them.
        folder: Where they are kept.
        clock: Tells when a run began.
        changed: Called after a run ended.
    """

    def __init__(
        self, recipe: Recipe, points: Sequence[Point], folder: Folder, clock: Clock, changed: Callable[[], None]
    ) -> None:
        self._recipe, self._folder, self._clock, self._changed = recipe, folder, clock, changed
        self._lock, self._telling = Lock(), Lock()
        self._known = {point: self._read(point) for point in points}
        self._waiting = deque(point for point in points if not self._known[point].complete)
        self._live: dict[Point, Live] = {}
        self._stopping, self._over = Flag(), Flag()
        self._working = 0

    def train(self, teams: Sequence[Sequence[Device]], *, here: bool) -> None:
        """Begin to train what is not done.

        Args:
            teams: Devices of the runs that train side by side.
            here: Whether in the calling thread, which returns at the end then.
        """
        self._working = len(teams)
        if here:
            self._serve(teams[0])
            return
        for team in teams:
            Thread(target=self._serve, args=(team,), name=f"vfnb sweep {self._folder.path.name}", daemon=True).start()

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The jobs that train now."""
        with self._lock:
            return tuple(live.job for live in self._live.values())

    def outcomes(self) -> list[Outcome]:
        """Tell what came of each run so far, in their order.

        Returns:
            An outcome a run.
        """
        with self._lock:
            known, live = dict(self._known), dict(self._live)
        return [live[point].outcome(point) if point in live else outcome for point, outcome in known.items()]

    def stop(self) -> None:
        """Begin no more, and stop what trains at its next step with a checkpoint; called again, at once."""
        self._stopping.set()
        for job in self.jobs:
            with suppress(StateError):  # not quite started: its thread stops it when it is
                job.stop()

    def join(self, timeout: float) -> bool:
        """Wait until nothing trains any more.

        Args:
            timeout: Seconds to wait at most.

        Returns:
            False when the time ran out first.
        """
        return self._over.wait(timeout)

    def _serve(self, team: Sequence[Device]) -> None:
        try:
            while (point := self._taken()) is not None:
                self._trained(point, team)
        finally:
            with self._lock:
                self._working -= 1
                last = self._working == 0
            if last:
                self._folder.release()
                self._over.set()

    def _taken(self) -> Point | None:
        with self._lock:
            return self._waiting.popleft() if self._waiting and not self._stopping.is_set() else None

    def _trained(self, point: Point, team: Sequence[Device]) -> None:
        error: Exception | None = None
        try:
            job = self._begun(point, team)
            if self._stopping.is_set():
                job.stop()
            job.wait()
        except Exception as raised:  # noqa: BLE001  # whatever ends one run, the others go on
            error = raised
        finally:
            outcome = self._read(point)
            if error is not None and outcome.state not in ("failed", "crashed"):
                outcome = replace(outcome, state="failed", complete=False)
            if error is not None:
                outcome = replace(outcome, error=one_line(str(error)) or type(error).__name__)
                _logger.warning("%s: %s failed: %s", self._folder.path.name, point, outcome.error)
            with self._lock:
                self._live.pop(point, None)
                self._known[point] = outcome
            with self._telling:
                self._changed()

    def _begun(self, point: Point, team: Sequence[Device]) -> Job:
        with MAKING:
            after, attempts = self._left(point)
            try:
                job = self._recipe.job(point, devices=team, run_dir=self._folder.next_attempt(point), after=after)
            except CheckpointError as error:
                if after is None:
                    raise
                _logger.warning("%s: %s begins anew: %s", self._folder.path.name, point, error)
                after = None
                job = self._recipe.job(point, devices=team, run_dir=self._folder.next_attempt(point))
            earlier = None if after is None else from_disk(point, attempts, None)
            with self._lock:
                self._live[point] = Live(job=job, started=self._clock.now(), earlier=earlier)
            job.start()
        return job

    def _left(self, point: Point) -> tuple[Path | None, list[Path]]:
        """Find the newest checkpoint that earlier attempts left, and the attempts up to it."""
        attempts = self._folder.attempts(point)
        for place in reversed(range(len(attempts))):
            if (newest := newest_checkpoint(attempts[place])) is not None:
                return newest, attempts[: place + 1]
        return None, attempts

    def _read(self, point: Point) -> Outcome:
        return from_disk(point, self._folder.attempts(point), self._recipe.options_of(point.cell.batch).stop_when)
