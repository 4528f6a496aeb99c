"""A job in a pool: what is known of it there, how it is shown, and how a policy sees it."""

from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from vfnb.planning import Bundle, Claim, Progress, RateOf, Scaling, linear_scaling
from vfnb.session.handle import Handle
from vfnb.session.job import Job
from vfnb.session.ledger import ENDED
from vfnb.session.pool.allotment import Devices
from vfnb.session.reins import Reins
from vfnb.spec import Failed

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolJob:
    """How a job in a pool stands.

    Attributes:
        name: The job's.
        state: "queued" before it has devices for the first time, "cancelled", or the job's own.
        priority: Its weight; more is more urgent.
        demand: The most devices that it takes.
        devices: Those it has now, by name.
        waited: Seconds without any.
        error: Why it failed, "" where it did not.
    """

    name: str
    state: str
    priority: float
    demand: int
    devices: tuple[str, ...]
    waited: float
    error: str = ""

    @property
    def ended(self) -> bool:
        """Whether it trains no more, and will not."""
        return self.state in ENDED or self.state == "cancelled"


@dataclass(slots=True, kw_only=True)
class Entry:
    """What a pool knows of a job.

    Attributes:
        job: The job.
        reins: What decides on its devices.
        arrival: When it was submitted, in the pool's seconds.
        priority: Its weight.
        deadline: When it should be done, in the pool's seconds.
        rates: The user's word for its rates; None where they are measured.
        goal: The devices that it is to have.
        held: Those that nobody else may have: its own, and those that a resize under way takes or gives.
        aim: Those that the resize under way goes on with.
        handle: Of that resize; None where there is none.
        begun: Whether it was started.
        over: What its end is called where the job itself does not say; "" before.
        error: Why it could not start, or not go on.
        missed: Resizes in a row that did not come about.
        mended: The workers for which a resize made good a loss, so that it is tried once.
        idle_since: Since when it has no devices; None while it has.
        idle: Seconds without devices before that.
        received: Seconds on each set of devices.
    """

    job: Job
    reins: Reins
    arrival: float
    priority: float
    deadline: float | None = None
    rates: RateOf | None = None
    goal: Devices = ()
    held: Devices = ()
    aim: Devices = ()
    handle: Handle | None = None
    begun: bool = False
    over: str = ""
    error: str = ""
    missed: int = 0
    mended: tuple[int, ...] = ()
    idle_since: float | None = None
    idle: float = 0.0
    received: dict[Bundle, float] = field(default_factory=dict)

    @property
    def demand(self) -> int:
        """The most devices that it takes."""
        return len(self.reins.devices)

    @property
    def live(self) -> bool:
        """Whether it has not ended."""
        return not self.over and not (self.begun and self.job.state in ENDED)

    def claim(self, kind: str, now: float) -> Claim:
        """Say how a policy sees it: with the devices that it is to have, whether they are free yet or not.

        Args:
            kind: Of the pool's devices.
            now: The pool's seconds.

        Returns:
            The claim; work is steps.
        """
        return Claim(
            name=self.job.name,
            arrival=self.arrival,
            demand=self.demand,
            work=float(self.job.steps),
            rates=self.rates or measured(self.job.history if self.begun else None, self.demand),
            priority=self.priority,
            deadline=self.deadline,
            held=((kind, len(self.goal)),) if self.goal else (),
            progress=Progress(done=float(self.job.step), since=now),
            received=dict(self.received),
        )

    def shown(self, now: float) -> PoolJob:
        """Say how it stands.

        Args:
            now: The pool's seconds.

        Returns:
            The record.
        """
        waits = 0.0 if self.idle_since is None else now - self.idle_since
        return PoolJob(
            name=self.job.name,
            state=self.over or (self.job.state if self.begun else "queued"),
            priority=self.priority,
            demand=self.demand,
            devices=tuple(map(str, self.held)),
            waited=self.idle + waits,
            error=self.error or _failure_of(self.job),
        )


def measured(history: "pd.DataFrame | None", demand: int) -> RateOf:
    """Tell how fast a job is on a number of devices, from its own steps.

    Args:
        history: Its rows; None or empty before the first.
        demand: The most devices that it takes.

    Returns:
        Steps a second; in proportion to the nearest number that was measured, where one was not.
    """
    if history is None or history.empty:
        return linear_scaling(demand)
    known = history[history.samples_per_second > 0]
    points: dict[int, float] = {}
    for workers in sorted(set(known.workers.tolist())):
        rows = known[known.workers == workers]
        points[workers] = median((rows.samples_per_second / rows.samples).tolist())
    if not points:
        return linear_scaling(demand)
    most = max(points)
    beyond = {demand: points[most] * demand / most} if demand > most else {}
    return Scaling(tuple(("", count, rate) for count, rate in {**points, **beyond}.items()))


def _failure_of(job: Job) -> str:
    told = [event.error for event in job.events if isinstance(event, Failed)]
    return told[-1] if told else ""
