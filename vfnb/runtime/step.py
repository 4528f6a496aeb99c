"""One step as a transaction: compute, vote, sum, apply. Nothing that lasts changes before the last of these.

A step is a pure function of (state, step): computed again after a loss, or because a tensor exceeded its
capacity, it gives the same bits. The inline engine runs this very code alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from vfnb.numerics import Capacities, update_seed
from vfnb.runtime.attempt import Attempt
from vfnb.runtime.feed import Feed
from vfnb.runtime.messages import Reason
from vfnb.runtime.post import Post
from vfnb.runtime.replica import Replica
from vfnb.runtime.troubles import DriftedError
from vfnb.runtime.vote import Trouble, Verdict
from vfnb.spec import Event, NodesPerPassHalved, Row, StepRedone, StepSkipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepped:
    """A committed step, skipped ones too.

    Attributes:
        row: Without the times, which the caller knows.
        events: What happened in it.
        order: The newest order that any worker knew at its vote.
        bad: What was not finite, and where first, if that counts against the run.
        broken: Whether a member was lost as this one handed on the update: it is committed, the group is gone.
    """

    row: Row
    events: tuple[Event, ...]
    order: int
    bad: StepSkipped | None = None
    broken: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Halted:
    """A step that was dropped.

    Attributes:
        reason: Why.
        error: This worker's part in it; None where another had the trouble.
    """

    reason: Reason
    error: Exception | None


def take_step(replica: Replica, post: Post, feed: Feed) -> Stepped | Halted:
    """Take the next step together with the other workers.

    Args:
        replica: Changed only where the step is committed.
        post: Who and with whom.
        feed: The batches.

    Returns:
        The committed step, or why it was dropped.
    """
    redone: list[Event] = []
    while True:
        attempt = Attempt(replica, post, feed)
        attempt.compute()
        verdict = attempt.vote()
        if verdict.drifted:
            return Halted(reason="failed", error=_drifted(replica, post))
        if verdict.trouble is Trouble.MEMORY and _can_halve(replica):
            attempt.undo()
            feed.forget()
            replica.compute_at_most(replica.nodes_per_pass // 2)
            continue
        if verdict.trouble is not Trouble.NONE:
            reason: Reason = "failed" if verdict.trouble is Trouble.ERROR else "memory"
            return Halted(reason=reason, error=attempt.error)
        if verdict.bad_node is not None or verdict.weight == 0:
            return _skip(replica, attempt, verdict, redone)
        if names := _make_room(replica, attempt):
            redone.append(StepRedone(step=attempt.step, tensors=names))
            continue
        attempt.sum_(verdict)
        if replica.program.options.reduction == "native" and not _finite(replica):
            # A sum in fp32 is judged once it is complete, by every worker alike.
            return _skip(replica, attempt, verdict, redone)
        return _commit(replica, attempt, verdict, redone)


def _can_halve(replica: Replica) -> bool:
    return replica.program.options.nodes_per_pass == "auto" and replica.nodes_per_pass > 1


def _events(replica: Replica, step: int, redone: Sequence[Event]) -> tuple[Event, ...]:
    """Say what happened in a step; a halving from the state, which outlives an attempt that broke off."""
    halved = [nodes for since, nodes in replica.halvings if since == step]
    return (*(NodesPerPassHalved(step=step, nodes_per_pass=nodes) for nodes in halved), *redone)


def _make_room(replica: Replica, attempt: Attempt) -> tuple[str, ...]:
    """Raise the capacities that were exceeded, alike everywhere, and name the tensors; none is the rule."""
    if replica.program.options.reduction == "exact":
        replica.capacities, names = _raised(replica.capacities, attempt.ballot.absmax, list(replica.parameters))
    else:
        names = ()
    found = _raised(replica.buffer_capacities, attempt.ballot.buffer_absmax, replica.buffers.names)
    replica.buffer_capacities = found[0]
    if names + found[1]:
        attempt.undo()
    return names + found[1]


def _raised(capacities: Capacities, absmax: torch.Tensor, names: Sequence[str]) -> tuple[Capacities, tuple[str, ...]]:
    exceeded = capacities.exceeded(absmax)
    if not bool(exceeded.any()):
        return capacities, ()
    found = tuple(name for name, too_large in zip(names, exceeded.tolist(), strict=True) if too_large)
    return capacities.raised(absmax), found


def _commit(replica: Replica, attempt: Attempt, verdict: Verdict, redone: list[Event]) -> Stepped:
    lr = replica.lr
    norm, whole = _updated(replica, attempt)
    if replica.program.options.reduction == "exact":
        replica.capacities = replica.capacities.committed(attempt.ballot.absmax)
        _learn_noise(replica, attempt, verdict, norm)
    replica.buffer_capacities = replica.buffer_capacities.committed(attempt.ballot.buffer_absmax)
    replica.step, replica.skips = attempt.step, 0
    row = _row(replica, attempt, loss=verdict.loss / verdict.weight, lr=lr, grad_norm=norm)
    return Stepped(row=row, events=_events(replica, attempt.step, redone), order=verdict.order, broken=not whole)


def _updated(replica: Replica, attempt: Attempt) -> tuple[float | None, bool]:
    """Have the update computed, by the lead alone where kinds are mixed; give the norm and whether nobody was lost."""
    roll = attempt.post.roll
    if roll.mixed and attempt.post.worker != roll.lead:
        return attempt.take_over(), True
    norm = _update(replica, attempt)
    replica.buffers.apply(attempt.samples)
    return norm, attempt.hand_on(norm) if roll.mixed else True


def _update(replica: Replica, attempt: Attempt) -> float | None:
    """Unscale, clip, and let optimizer and schedule take their step, as in a loop of one process."""
    options = replica.program.options
    gradients = [one.grad for one in replica.parameters.values() if one.grad is not None]
    if replica.scaler.is_enabled() and gradients:
        if options.reduction == "exact":  # its sums are unscaled already, and the scaler is about to do it again
            torch._foreach_mul_(gradients, attempt.scale)  # as torch's own optimizers do
        replica.scaler.unscale_(replica.optimizer)
    norm = None
    if options.clip_norm is not None:
        norm = torch.nn.utils.clip_grad_norm_(list(replica.parameters.values()), options.clip_norm)
    elif options.reduction == "exact" and gradients:
        norm = torch.nn.utils.get_total_norm(gradients)
    replica.seed_generators(update_seed(replica.program.seed, attempt.step))
    if gradients:
        replica.scaler.step(replica.optimizer)
        replica.scaler.update()
    if replica.schedule is not None:
        replica.schedule.step()
    replica.clear_gradients()
    return None if norm is None else float(norm)


def _skip(replica: Replica, attempt: Attempt, verdict: Verdict, redone: list[Event]) -> Stepped:
    """Commit a step that changes nothing but the scaler: its batch is consumed."""
    attempt.undo()
    bad = verdict.weight > 0 or verdict.bad_node is not None
    what = (verdict.what or "gradient") if bad else "weight of any sample"  # a native sum is judged without a node
    counts = bad
    if counts and replica.scaler.is_enabled():
        # A scaler finds its range by skipping: what counts against the run is a skip at scale 1.
        counts = replica.scaler.get_scale() <= 1
        _back_off(replica)
    replica.step = attempt.step
    replica.skips += counts
    event = StepSkipped(step=attempt.step, node=verdict.bad_node, what=what)
    row = _row(replica, attempt, loss=float("nan"), lr=replica.lr, grad_norm=None, skipped=True)
    events = (*_events(replica, attempt.step, redone), event)
    return Stepped(row=row, events=events, order=verdict.order, bad=event if counts else None)


def _back_off(replica: Replica) -> None:
    # The scaler learns of an overflow from gradients; the vote knows of it already.
    first = next(iter(replica.parameters.values()))
    first.grad = torch.full_like(first, float("inf"))
    replica.scaler.unscale_(replica.optimizer)
    replica.scaler.step(replica.optimizer)
    replica.scaler.update()
    replica.clear_gradients()


def _finite(replica: Replica) -> bool:
    gradients = [one.grad for one in replica.parameters.values() if one.grad is not None]
    return all(bool(torch.isfinite(one.sum())) or bool(torch.isfinite(one).all()) for one in gradients)


def _learn_noise(replica: Replica, attempt: Attempt, verdict: Verdict, norm: float | None) -> None:
    if norm is None:
        return
    layout = replica.program.layout.at(attempt.step)
    weights, sqnorms = verdict.weights[: layout.blocks], verdict.sqnorms[: layout.blocks]
    samples = [len(layout.positions(attempt.samples, layout.nodes_of(block))) for block in range(layout.blocks)]
    norms = [
        sqnorm * (replica.weight_unit / weight) ** 2 if weight else 0.0
        for sqnorm, weight in zip(sqnorms, weights, strict=True)
    ]
    counted = [count if weight else 0 for count, weight in zip(samples, weights, strict=True)]
    dataset = replica.program.train.dataset
    replica.noise = replica.noise.updated(norms, counted, norm**2, attempt.samples, len(dataset))


def _row(
    replica: Replica,
    attempt: Attempt,
    *,
    loss: float,
    lr: float,
    grad_norm: float | None,
    skipped: bool = False,
) -> Row:
    program = replica.program
    options = program.options
    return Row(
        step=attempt.step,
        epoch=attempt.feed.epoch_of(attempt.step),
        loss=loss,
        lr=lr,
        samples=attempt.samples,
        samples_per_second=float("nan"),
        workers=attempt.post.group.size,
        grad_norm=grad_norm,
        noise_scale=replica.noise.value if options.reduction == "exact" else None,
        skipped=skipped,
    )


def _drifted(replica: Replica, post: Post) -> DriftedError:
    """Find out whose state differs from most others'."""
    mine = f"{replica.digest():.0f}".encode()
    digests = dict(zip(post.mapping.workers, post.group.gather(mine), strict=True))
    most = max(digests.values(), key=list(digests.values()).count)
    odd = [worker for worker, digest in digests.items() if digest != most]
    return DriftedError(replica.step, odd)
