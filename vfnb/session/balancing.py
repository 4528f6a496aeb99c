"""How fast a run's workers are, measured from the driver's side while they train, and the mappings that follow.

Workers add up the seconds of their passes where the driver can see them without asking. A window is closed with the
row of a step, on the thread that brings it: no step waits for it, and no bit depends on it.
"""

from collections.abc import Callable
from collections.abc import Mapping as Table
from concurrent.futures import Future
from dataclasses import dataclass
from math import isfinite, nan

from vfnb.ground import PlanError
from vfnb.planning import Balance, Outlook, Window, levelled
from vfnb.runtime import Run, Sign
from vfnb.session.feed import Feed
from vfnb.session.learned import Learned
from vfnb.session.ledger import Ledger, News
from vfnb.session.policy import extended
from vfnb.session.prepared import Prepared
from vfnb.session.profiling import known_profile, node_seconds
from vfnb.spec import Device, Mapping, NodesPerPassHalved, Rebalanced, Recovered, Resized, Row

_SHORTEST = 0.05  # seconds of a window: shorter ones hold little but noise
_MOVE = 0.3  # seconds that a move is taken to cost before one was made

Propose = Callable[[Mapping], Mapping]


@dataclass(slots=True, kw_only=True)
class _Opening:
    """A window that is not closed yet.

    Attributes:
        mapping: Of its steps.
        signs: Where each worker stood as it was opened.
        seconds: That its steps took so far.
        steps: How many.
    """

    mapping: Mapping
    signs: Table[int, Sign]
    seconds: float = 0.0
    steps: int = 0


class Balancer:
    """A run's sink between its engine and its feed; it measures, and moves blocks where the options say so.

    Args:
        prepared: What the job is.
        feed: Is told everything first.
        ledger: What is known then.
        learned: Has the run.
    """

    def __init__(self, prepared: Prepared, feed: Feed, ledger: Ledger, learned: Learned) -> None:
        self._prepared, self._feed, self._ledger, self._learned = prepared, feed, ledger, learned
        self._automatic = prepared.blueprint.options.rebalance == "auto"
        self._balance = Balance()
        self._opening: _Opening | None = None
        self._pending: Future[Resized | None] | None = None

    def __call__(self, news: News) -> None:
        """Take in one piece of news.

        Args:
            news: A row, an event, or where the run stands now.
        """
        self._feed(news)
        if isinstance(news, Row) and self._learned.run is not None:
            self._look(news, self._learned.run)

    def solved(self) -> Propose:
        """Give the fastest mapping in which every worker has a part, by what is measured, else by the profile.

        Returns:
            It, as a function of the mapping at the time of the switch.

        Raises:
            PlanError: If the speed of a worker is not known.
        """
        seconds, step = self._seconds(), self._ledger.step + 1
        return lambda now: extended(levelled(now.at(step).layout, seconds, near=now.at(step)), now)

    def worthwhile(self) -> Propose | None:
        """Give the same where the move is worth it.

        Returns:
            It; None where the present mapping had better stay.
        """
        after = self._balance.worthwhile(self._outlook())
        return None if after is None else _unless_changed(after)

    # -- measuring

    def _look(self, row: Row, run: Run) -> None:
        status, opening = self._ledger.status, self._opening
        mapping = status.mapping
        seconds = row.samples / row.samples_per_second if row.samples_per_second > 0 else nan
        moving = self._pending is not None and not self._pending.done()
        if mapping is None or len(mapping.workers) == 1 or status.state != "running" or moving:
            self._opening = None
        elif opening is None or opening.mapping != mapping or not isfinite(seconds):
            self._opening = _Opening(mapping=mapping, signs=run.activity())
        else:
            opening.seconds, opening.steps = opening.seconds + seconds, opening.steps + 1
            if opening.seconds >= _SHORTEST:
                self._close(opening, run)

    def _close(self, opening: _Opening, run: Run) -> None:
        signs = run.activity()
        window = _window(opening, signs, self._nodes_per_pass)
        if window is None:
            return  # somebody has not ended a pass since: the window stays open
        self._opening = _Opening(mapping=opening.mapping, signs=signs)
        self._balance = self._balance.seen(opening.mapping, window)
        after = self._balance.proposal(self._outlook()) if self._automatic else None
        if after is not None:
            self._move(after, opening.mapping, run)

    def _move(self, after: Mapping, before: Mapping, run: Run) -> None:
        step = self._ledger.step
        event = Rebalanced(
            step=step,
            workers=before.workers,
            before=tuple(before.counts.values()),
            after=tuple(after.counts.values()),
            saving=self._balance.saving(after),
        )
        self._balance = self._balance.moving(step)
        self._pending = run.remap(_unless_changed(after))
        self._feed(event)

    # -- what is known

    def _seconds(self) -> dict[int, float]:
        status = self._ledger.status
        mapping = status.mapping or self._prepared.mapping
        devices = {worker.id: worker.device for worker in status.workers} or dict(enumerate(self._prepared.devices))
        signs = {} if self._learned.run is None else self._learned.run.activity()
        usual = {worker: sign.usual / self._nodes_per_pass for worker, sign in signs.items() if sign.usual > 0}
        for found in (self._balance.seconds, usual):
            if set(mapping.workers) <= set(found):
                return {worker: found[worker] for worker in mapping.workers}
        return self._profiled({worker: devices[worker] for worker in mapping.workers if worker in devices})

    def _profiled(self, devices: Table[int, Device]) -> dict[int, float]:
        blueprint = self._prepared.blueprint
        profile = known_profile(blueprint, list(devices.values()))
        found = {worker: node_seconds(profile, device, blueprint) for worker, device in devices.items()}
        missing = [f"{device} (worker {worker})" for worker, device in devices.items() if found[worker] is None]
        if missing or not found:
            raise PlanError(
                f"the speed of {' and '.join(missing) or 'the workers'} is not known: no pass is measured yet and no "
                "profile has it; let the job train a step first, or measure with vfnb.profile(task, devices)"
            )
        return {worker: each for worker, each in found.items() if each is not None}

    def _outlook(self) -> Outlook:
        costs = [event.downtime for event in self._ledger.events if isinstance(event, Resized | Recovered)]
        return Outlook(
            step=self._ledger.step,
            last=self._prepared.blueprint.steps,
            move_seconds=costs[-1] if costs else _MOVE,
        )

    @property
    def _nodes_per_pass(self) -> int:
        blueprint = self._prepared.blueprint
        if blueprint.options.nodes_per_pass != "auto":
            return blueprint.nodes_per_pass
        halved = (one.nodes_per_pass for one in reversed(self._ledger.events) if isinstance(one, NodesPerPassHalved))
        return next(halved, blueprint.nodes_per_pass)


def _window(opening: _Opening, signs: Table[int, Sign], nodes_per_pass: int) -> Window | None:
    """Say what the window's passes took; None where a worker made none."""
    seconds = {}
    for worker in opening.mapping.workers:
        before, after = opening.signs.get(worker), signs.get(worker)
        if before is None or after is None or after.passes <= before.passes or after.spent <= before.spent:
            return None
        seconds[worker] = (after.spent - before.spent) / (after.passes - before.passes) / nodes_per_pass
    return Window(seconds=seconds, step_seconds=opening.seconds / opening.steps)


def _unless_changed(after: Mapping) -> Propose:
    """Map so, unless other workers than were measured are there by then."""
    return lambda now: extended(after, now) if now.workers == after.workers else now
