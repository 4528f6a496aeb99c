"""One step as a transaction: compute, vote, sum, apply. Nothing that lasts changes before the last of these.

A step is a pure function of (state, step): computed again after a loss, or because a tensor exceeded its capacity, it
gives the same bits. The order-free sum takes one contribution a block; inside a block gradients add up natively, in fp32,
in the order of virtual nodes. The inline engine runs this very code alone.
"""

import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt

import torch

from vfnb.ground import TrainingError, VfnbError
from vfnb.numerics import absmaxes, node_seed, update_seed, where
from vfnb.runtime.buffers import Buffers
from vfnb.runtime.feed import Feed
from vfnb.runtime.forward import Measured, run_pass, seed_pass
from vfnb.runtime.group import GroupError
from vfnb.runtime.messages import Reason
from vfnb.runtime.passes import Pass, by_block
from vfnb.runtime.post import Post
from vfnb.runtime.replica import Replica
from vfnb.runtime.sums import Sums, sums_for
from vfnb.runtime.vote import Ballot, Trouble, Verdict
from vfnb.spec import Event, OutOfMemory, Row, StepRedone, StepSkipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepped:
    """A committed step, skipped ones too.

    Attributes:
        row: Without the times, which the caller knows.
        events: What happened in it.
        order: The newest order that any worker knew at its vote.
        bad_node: Where something was not finite first.
        what: What was not.
    """

    row: Row
    events: tuple[Event, ...]
    order: int
    bad_node: int | None
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Halted:
    """A step that was dropped.

    Attributes:
        reason: Why.
        error: This worker's part in it; None where another had the trouble.
    """

    reason: Reason
    error: BaseException | None


class MemoryShort(Exception):
    """A pass did not fit; carries the event that says so."""

    def __init__(self, event: OutOfMemory) -> None:
        super().__init__(event.message)
        self.event = event


def take_step(replica: Replica, post: Post, feed: Feed) -> Stepped | Halted:
    """Take the next step together with the other workers.

    Args:
        replica: Changed only where the step is committed.
        post: Who and with whom.
        feed: The batches.

    Returns:
        The committed step, or why it was dropped.

    Raises:
        GroupError: If a member is gone; the step is dropped.
    """
    step = replica.step + 1
    events: list[Event] = []
    while True:
        attempt = _Attempt(replica, post, feed, step)
        attempt.compute()
        verdict = attempt.vote()
        if verdict.drifted:
            return Halted(reason="failed", error=_drift(replica, post))
        if verdict.trouble is not Trouble.NONE:
            return Halted(reason="failed" if verdict.trouble is Trouble.ERROR else "memory", error=attempt.error)
        if verdict.bad_node is not None or verdict.weight == 0:
            return _skip(replica, attempt, verdict, events)
        names = attempt.exceeded()
        if names:
            events.append(StepRedone(step=step, tensors=names))
            continue
        return _commit(replica, attempt, verdict, events)


class _Attempt:
    """One computation of a step, up to its vote and sum."""

    def __init__(self, replica: Replica, post: Post, feed: Feed, step: int) -> None:
        self.replica, self.post, self.feed, self.step = replica, post, feed, step
        self.sums: Sums = sums_for(replica)
        self.buffers = Buffers(replica)
        layout = replica.program.layout
        self.ballot = Ballot(layout.blocks, len(replica.parameters), self.buffers.means, layout.nodes)
        self.samples = feed.samples_in(step)
        self.scale = replica.scaler.get_scale()
        self.error: BaseException | None = None
        self.what = "loss"
        self._node = -1

    def compute(self) -> None:
        """Compute this worker's passes, block by block."""
        try:
            self._compute()
        except GroupError:
            self.undo()
            raise
        except Exception as error:  # noqa: BLE001  # the user's code may raise anything; the vote tells the others
            self.undo()
            self.error = _explained(error, self.step, self._node, self.post, self.replica)
            self.ballot.trouble(Trouble.MEMORY if isinstance(self.error, MemoryShort) else Trouble.ERROR)

    def undo(self) -> None:
        self.buffers.restore()
        _clear(self.replica)

    def _compute(self) -> None:
        program, post = self.replica.program, self.post
        passes = post.passes(program, self.samples)
        batches = self.feed.batches(self.step, passes, lambda later: post.passes(program, self.feed.samples_in(later)))
        measured: list[tuple[Pass, Measured]] = []
        count = 0
        for block in by_block(passes):
            for _ in block:
                if post.abandoned():
                    raise GroupError("this generation was abandoned")
                one, batch = next(batches)
                self._node = one.node
                post.probe("pass", worker=post.worker, step=self.step, detail=count)
                measured.append((one, self._pass(one, batch)))
                count += 1
            self.sums.add_block(block[0].block, self.scale, self.ballot)
            self.buffers.end_block(self.ballot)
        self._node = -1
        self._tally(measured)

    def _pass(self, one: Pass, batch: object) -> Measured:
        replica, program = self.replica, self.replica.program
        self.post.slot.mark("compute", step=self.step, node=one.node)
        begun = time.perf_counter()
        self.buffers.restore()
        seed_pass(node_seed(program.seed, self.step, one.node), replica.device)
        got = run_pass(
            replica.model,
            replica.loss,
            batch,
            len(one.positions),
            precision=program.options.precision,
            device=replica.device,
            unit=replica.weight_unit,
            scale=self.scale,
        )
        self.sums.end_pass()
        self.buffers.end_pass(len(one.positions), one.node)
        self.post.slot.took(time.perf_counter() - begun)
        return got

    def _tally(self, measured: Sequence[tuple[Pass, Measured]]) -> None:
        """Put each block's loss and weight on the ballot; one wait for the device for all passes."""
        if not measured:
            return
        values = torch.stack([got.value.float() for _, got in measured]).tolist()
        losses: dict[int, list[float]] = {}
        weights: dict[int, list[float]] = {}
        for (one, got), value in zip(measured, values, strict=True):
            if not isfinite(value):
                self.ballot.not_finite(one.node)
            losses.setdefault(one.block, []).append(value * got.factor)
            weights.setdefault(one.block, []).append(got.weight)
        for block, terms in losses.items():
            # Python's sum, in the order of virtual nodes: one worker alone fills a block's place.
            total = sum(terms)
            self.ballot.losses[block] = total if isfinite(total) else 0.0
            self.ballot.weights[block] = sum(weights[block])
        if self.ballot.bad:
            return
        bad = self.sums.bad_block
        if bad is not None:
            self.what = "gradient"
            self.ballot.not_finite(next(one.node for one, _ in measured if one.block == bad))

    def vote(self) -> Verdict:
        """Tell the others and hear them."""
        post = self.post
        self.ballot.vote(post.orders(), self.replica.digest())
        post.probe("before_vote", worker=post.worker, step=self.step)
        post.slot.mark("collective", step=self.step)
        try:
            post.group.max_(self.ballot.vector)
        except GroupError:
            self.undo()
            raise
        post.probe("after_vote", worker=post.worker, step=self.step)
        return self.ballot.verdict()

    def exceeded(self) -> tuple[str, ...]:
        """Raise the capacities that were exceeded, alike everywhere, and name the tensors; none is the rule."""
        names = self.sums.exceeded(self.ballot) + self.buffers.exceeded(self.ballot)
        if names:
            self.undo()
        return names

    def sum_(self) -> None:
        """Add up over workers; afterwards nothing can fail but the update itself."""
        post = self.post
        tensors = [*self.sums.tensors(), *self.buffers.tensors()]
        struck = lambda: post.probe("in_sum", worker=post.worker, step=self.step)  # noqa: E731  # it is one call
        try:
            post.group.sum_(tensors, struck)
            post.probe("before_commit", worker=post.worker, step=self.step)
        except GroupError:
            self.undo()
            raise


def _commit(replica: Replica, attempt: _Attempt, verdict: Verdict, events: list[Event]) -> Stepped | Halted:
    attempt.sum_()
    divisor = verdict.weight / replica.weight_unit
    attempt.sums.means_into_grads(divisor, attempt.ballot)
    if replica.program.options.reduction == "native" and not _finite(replica):
        # fp32 sums can only be judged once they are added up, by every worker alike.
        attempt.what = "gradient"
        return _skip(replica, attempt, verdict, events)
    lr = replica.lr
    norm = _update(replica, attempt)
    attempt.buffers.apply()
    _learn_norms(replica, attempt, verdict, norm)
    replica.capacities = attempt.sums.committed(attempt.ballot)
    replica.buffer_capacities = attempt.buffers.committed(attempt.ballot)
    replica.step, replica.skips = attempt.step, 0
    row = _row(replica, attempt, verdict, lr=lr, grad_norm=norm, skipped=False)
    return Stepped(row=row, events=tuple(events), order=verdict.order, bad_node=None, what="")


def _skip(replica: Replica, attempt: _Attempt, verdict: Verdict, events: list[Event]) -> Stepped:
    """Commit a step that changes nothing but the scaler: its batch is consumed."""
    attempt.undo()
    overflow = replica.scaler.is_enabled() and verdict.weight > 0
    if overflow:
        _back_off(replica)
    replica.step = attempt.step
    # A scaler finds its range by skipping: those skips count only once it has come down to 1.
    if verdict.weight > 0 and not (overflow and replica.scaler.get_scale() > 1):
        replica.skips += 1
    what = attempt.what if verdict.weight > 0 else "no sample had weight"
    events.append(StepSkipped(step=attempt.step, node=verdict.bad_node, what=what))
    row = _row(replica, attempt, verdict, lr=replica.lr, grad_norm=None, skipped=True)
    bad_node = None if overflow and replica.skips == 0 else verdict.bad_node
    return Stepped(row=row, events=tuple(events), order=verdict.order, bad_node=bad_node, what=what)


def _update(replica: Replica, attempt: _Attempt) -> float | None:
    """Unscale, clip and let optimizer and schedule take their step, as torch's own loop would."""
    program = replica.program
    gradients = [one.grad for one in replica.parameters.values() if one.grad is not None]
    if replica.scaler.is_enabled():
        torch._foreach_mul_(gradients, attempt.sums.rescale(attempt.scale))  # noqa: SLF001  # torch's optimizers use it
        replica.scaler.unscale_(replica.optimizer)
    norm = None
    if program.options.clip_norm is not None:
        norm = torch.nn.utils.clip_grad_norm_(list(replica.parameters.values()), program.options.clip_norm)
    elif program.options.reduction == "exact" and gradients:
        norm = torch.nn.utils.get_total_norm(gradients)
    seed_pass(update_seed(program.seed, attempt.step), replica.device)
    replica.scaler.step(replica.optimizer)
    replica.scaler.update()
    if replica.schedule is not None:
        replica.schedule.step()
    _clear(replica)
    return None if norm is None else float(norm)


def _back_off(replica: Replica) -> None:
    # The scaler learns of an overflow from the gradients it unscales; the vote knows of it already.
    first = next(iter(replica.parameters.values()))
    first.grad = torch.full_like(first, float("inf"))
    replica.scaler.unscale_(replica.optimizer)
    replica.scaler.step(replica.optimizer)
    replica.scaler.update()
    _clear(replica)


def _learn_norms(replica: Replica, attempt: _Attempt, verdict: Verdict, norm: float | None) -> None:
    program = replica.program
    if program.options.reduction != "exact" or norm is None:
        return
    layout = program.layout
    passes = [attempt.post.mapping.layout.nodes_of(block) for block in range(layout.blocks)]
    del passes
    samples = block_samples(replica, attempt.samples)
    norms = [
        sqnorm * (replica.weight_unit / weight) ** 2 if weight else 0.0
        for sqnorm, weight in zip(verdict.sqnorms, verdict.weights, strict=True)
    ]
    counted = [count if weight else 0 for count, weight in zip(samples, verdict.weights, strict=True)]
    dataset = len(program.train.dataset)
    replica.noise = replica.noise.updated(norms, counted, norm**2, attempt.samples, dataset)
