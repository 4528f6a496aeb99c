"""Training in lockstep from boundary to boundary: what every worker of a generation does, and the inline engine alone.

A step is finished once it is committed, its evaluation (where one is due) is done, and its record is out.
Orders are carried out at the boundary after the step in whose vote they were seen, so at the same one
everywhere.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import isnan
from pathlib import Path
from typing import Protocol

import torch

from vfnb.ground import TrainingError
from vfnb.numerics import Capacities
from vfnb.runtime.evaluation import due, evaluate
from vfnb.runtime.feed import Feed
from vfnb.runtime.group import GroupError
from vfnb.runtime.messages import Reason, Record
from vfnb.runtime.pace import Pace
from vfnb.runtime.post import Post
from vfnb.runtime.replica import Replica
from vfnb.runtime.roll import call_roll, member_on, not_guaranteed
from vfnb.runtime.snapshot import known_fingerprint, write_checkpoint
from vfnb.runtime.step import Halted, Stepped, take_step
from vfnb.runtime.troubles import MemoryShortError
from vfnb.spec import CheckpointFailed, Evaluated, Event, Row

_MOST_SKIPS = 10


class Desk(Protocol):
    """Where records go and orders come from."""

    def publish(self, record: Record) -> None:
        """Send a finished step's record; called on the reporting worker only."""
        ...

    def tell(self, event: Event) -> None:
        """Send an event that belongs to no committed step."""
        ...

    def obey(self, replica: Replica, order: int) -> bool:
        """Carry out the orders up to a number; True to park."""
        ...


@dataclass(slots=True)
class Journal:
    """A worker's memory of its last step, kept while it has no group.

    Attributes:
        row: The last committed step's row; None before the first.
        events: What happened in it.
        when: When it was committed, in monotonic seconds.
        base: From when the next step's time counts.
        took: Seconds that it took; 0 where that is not known.
        pace: When a row carries a fingerprint.
    """

    row: Row | None = None
    events: tuple[Event, ...] = ()
    when: float = 0.0
    base: float = 0.0
    took: float = 0.0
    pace: Pace = field(default_factory=Pace)


def train(replica: Replica, post: Post, feed: Feed, desk: Desk, journal: Journal, run_dir: Path) -> Reason:
    """Train until an order, an end or a trouble.

    Args:
        replica: The same state on every member.
        post: Who and with whom.
        feed: The batches.
        desk: Where records go and orders come from.
        journal: The last step, for whoever reports next.
        run_dir: Where the best checkpoint goes.

    Returns:
        Why it stands still; with "failed" or "memory" the others know too.

    Raises:
        TrainingError: If the user's code failed here.
        GroupError: If a member is gone.
    """
    journal.pace.every = replica.program.options.fingerprint_every
    post = _introduced(replica, post, desk, journal)
    _agree(replica, post)
    if replica.step and _finish(replica, post, desk, journal, run_dir):
        return "stop_when"
    while replica.step < replica.program.steps:
        outcome = take_step(replica, post, feed)
        if isinstance(outcome, Halted):
            if outcome.error is not None and not isinstance(outcome.error, MemoryShortError):
                raise outcome.error
            if outcome.error is not None:
                desk.tell(outcome.error.event)
            return outcome.reason
        _note(post, journal, outcome)
        post.probe("after_commit", worker=post.worker, step=replica.step)
        if _finish(replica, post, desk, journal, run_dir):
            return "stop_when"
        _give_up(replica, outcome)
        if replica.step < replica.program.steps and desk.obey(replica, outcome.order):
            return "ordered"
    return "finished"


def _introduced(replica: Replica, post: Post, desk: Desk, journal: Journal) -> Post:
    """Call the roll, and say where devices take part that round differently."""
    row = 0 if journal.row is None else journal.row.step
    member = member_on(replica.place, row=row, kinds=replica.kinds)
    roll = call_roll(post.group, post.mapping.workers, member)
    replica.kinds = roll.kinds
    if len(roll.kinds) > 1 and roll.news and post.worker == roll.lead:
        desk.tell(not_guaranteed(roll.kinds, replica.step))
    return replace(post, called=roll)


def _agree(replica: Replica, post: Post) -> None:
    """Settle what members may hold differently: who saw the evaluation end or a pass not fit; first capacities."""
    vector = torch.tensor([-replica.evaluated, replica.weight_unit, -replica.nodes_per_pass], dtype=torch.float64)
    if replica.step == 0:
        first, of_buffers = replica.capacities.current, replica.buffer_capacities.current
        vector = torch.cat([vector, first.double(), of_buffers.double()])
    post.group.max_(vector)
    replica.evaluated, replica.weight_unit = -int(vector[0]), float(vector[1])
    replica.compute_at_most(-int(vector[2]))
    if replica.step == 0:
        _, first, of_buffers = vector.split([3, len(first), len(of_buffers)])
        replica.capacities = _with_current(replica.capacities, first)
        replica.buffer_capacities = _with_current(replica.buffer_capacities, of_buffers)


def _with_current(capacities: Capacities, exponents: torch.Tensor) -> Capacities:
    return replace(capacities, current=exponents.to(torch.int32))


def _note(post: Post, journal: Journal, outcome: Stepped) -> None:
    now = time.monotonic()
    took = now - (journal.base or now)
    journal.row = replace(
        outcome.row,
        samples_per_second=outcome.row.samples / took if took > 0 else float("nan"),
        workers=post.group.size,
        at=time.time(),  # noqa: TID251  # a worker is the edge where wall time enters
    )
    journal.events, journal.when, journal.base, journal.took = outcome.events, now, now, took
    if outcome.broken:
        raise GroupError("a member was lost as the update was handed on; the step is committed here")


def _finish(replica: Replica, post: Post, desk: Desk, journal: Journal, run_dir: Path) -> bool:
    """Evaluate where it is due and let the record out; True where the user's `stop_when` ends the run."""
    if due(replica):
        metrics = evaluate(replica, post)
        replica.evaluated = replica.step
        _keep_best(replica, post, desk, metrics, run_dir)
        if journal.row is not None and journal.row.step == replica.step:
            journal.row = replace(journal.row, metrics=metrics)
            journal.events = (
                *journal.events,
                Evaluated(step=replica.step, metrics=metrics, at=journal.row.at),
            )
    if journal.row is None or journal.row.step != replica.step:
        return False
    if post.worker == post.roll.teller(replica.step):
        journal.row = _with_fingerprint(journal.row, replica, journal)
        desk.publish(Record(row=journal.row, events=journal.events, when=journal.when))
    return _stops(replica, journal.row)


def _with_fingerprint(row: Row, replica: Replica, journal: Journal) -> Row:
    """Take the step's fingerprint where one is due; the step's own time tells how often that may be."""
    if not journal.pace.due(row.step, replica.program.steps):
        return row
    begun = time.monotonic()
    taken = known_fingerprint(replica.capture())
    journal.pace.learn(time.monotonic() - begun, journal.took)
    return replace(row, fingerprint=taken)


def _stops(replica: Replica, row: Row) -> bool:
    stop_when: Callable[[Row], bool] | None = replica.program.options.stop_when
    if stop_when is None:
        return False
    # Only what every worker holds alike may decide: times and speeds are each worker's own.
    common = replace(row, samples_per_second=float("nan"), at=0.0, workers=0)
    try:
        return bool(stop_when(common))
    except Exception as error:
        raise TrainingError(f"stop_when raised {type(error).__name__}: {error}", step=row.step) from error


def _keep_best(replica: Replica, post: Post, desk: Desk, metrics: dict[str, float], run_dir: Path) -> None:
    wanted = replica.program.options.keep_best
    if wanted is None:
        return
    sign = -1.0 if wanted.startswith("-") else 1.0
    value = sign * metrics[wanted.removeprefix("-")]
    if isnan(value):
        return  # it would be the best for ever: nothing is above it
    if replica.best is None or value > replica.best[0]:
        replica.best = (value, replica.step)
        if post.leads:
            _write_best(replica, desk, run_dir / "checkpoints" / "best")


def _write_best(replica: Replica, desk: Desk, folder: Path) -> None:
    try:
        write_checkpoint(folder, replica.capture(), replica.program.identity)
    except OSError as error:
        desk.tell(CheckpointFailed(step=replica.step, path=str(folder), error=str(error)))


def _give_up(replica: Replica, outcome: Stepped) -> None:
    bad = outcome.bad
    if bad is None:
        return
    where = "" if bad.node is None else f", first in virtual node {bad.node}"
    if replica.program.options.nonfinite == "stop":
        raise TrainingError(
            f"step {bad.step} has a {bad.what} that is not finite{where}; lower the learning rate, look at its "
            'samples, or go on past it with Options(nonfinite="skip")',
            step=bad.step,
            node=bad.node,
        )
    if replica.skips >= _MOST_SKIPS:
        raise TrainingError(
            f"{replica.skips} steps in a row were skipped, the last one, step {bad.step}, for a {bad.what} that is "
            f"not finite{where}; lower the learning rate or look at the data",
            step=bad.step,
            node=bad.node,
        )
