"""Going through the evaluation data: fixed batches whatever the mapping, metric states merged in batch order.

torchmetrics' own synchronisation is not used: it would merge by worker. A metric whose states cannot be merged
gets the predictions of all batches, in order, instead.
"""

import copy
import io
from collections.abc import Iterator
from contextlib import contextmanager
from math import fsum
from typing import Any

import torch
from torchmetrics import Metric

from vfnb.ground import SpecError
from vfnb.numerics import evaluation_seed
from vfnb.runtime.forward import autocast, weighed
from vfnb.runtime.placement import moved
from vfnb.runtime.post import Post
from vfnb.runtime.program import Batch
from vfnb.runtime.reading import Request, read
from vfnb.runtime.refusals import number_of, pair_of_predictions
from vfnb.runtime.replica import Replica

_Part = dict[str, Any]  # of one batch: its loss, weight, and per metric a state or (predictions, targets)


class UserError(Exception):
    """The user's code failed on some worker, in words."""


def due(replica: Replica) -> bool:
    """Tell whether the evaluation data are to be gone through now.

    Args:
        replica: After a step.

    Returns:
        Whether this step asks for it and it has not been done.
    """
    program, step = replica.program, replica.step
    if program.evaluation is None or step == 0 or replica.evaluated >= step:
        return False
    every = program.options.evaluate_every
    comes = program.course.ends_epoch(step) if every is None else step % every == 0
    return comes or step == program.steps


def evaluate(replica: Replica, post: Post) -> dict[str, float]:
    """Go through the evaluation data together with the other workers.

    Args:
        replica: Its modules' training flags come back as they were.
        post: Whose batches are computed here.

    Returns:
        The metrics by name and "loss", the same on every worker.

    Raises:
        UserError: If the user's code failed, here or elsewhere.
        GroupError: If a worker is gone.
    """
    mine: dict[int, _Part] = {}
    failure = ""
    try:
        with _evaluating(replica, post.roll.mixed):
            for number, indices in _batches(replica, post):
                post.probe("evaluation", worker=post.worker, step=replica.step, detail=number)
                post.slot.mark("evaluate", step=replica.step)
                mine[number] = _measure(replica, number, indices)
    except Exception as error:  # noqa: BLE001  # the user's code may raise anything; the others wait for word
        failure = f"{type(error).__name__}: {error} (in the evaluation after step {replica.step})"
    post.slot.mark("collective", step=replica.step)
    parts: dict[int, _Part] = {}
    for data in post.group.gather(_packed((failure, mine))):
        problem, theirs = _unpacked(data)
        if problem:
            raise UserError(problem)
        parts |= theirs
    merged = _merged(replica, [parts[number] for number in sorted(parts)])
    # Each worker's own, unless devices round differently: what is best, and when to stop, is decided by it.
    return _unpacked(post.group.gather(_packed(merged))[post.lead_place]) if post.roll.mixed else merged


def try_evaluation(replica: Replica) -> None:
    """Evaluate one batch, for what would fail at the first evaluation; the user's own exceptions come through.

    Args:
        replica: Its modules' training flags come back as they were.
    """
    program = replica.program
    if program.evaluation is None:
        return
    samples = range(min(program.evaluation_batch, len(program.evaluation.dataset)))
    with _evaluating(replica, mixed=False):
        part = _measure(replica, 0, samples)
    for name, fresh in program.metrics.items():
        merged = _metric(fresh, [part["metrics"][name]])
        try:
            value = merged.compute()
        except Exception:  # noqa: BLE001, S112  # a metric may need more samples than one batch has
            continue
        number_of(name, value)


def _batches(replica: Replica, post: Post) -> Iterator[tuple[int, range]]:
    program = replica.program
    assert program.evaluation is not None, "nothing to evaluate"
    samples, size = len(program.evaluation.dataset), program.evaluation_batch
    rank = post.mapping.workers.index(post.worker)
    for number in range(rank, -(-samples // size), post.group.size):
        yield number, range(number * size, min((number + 1) * size, samples))


def _measure(replica: Replica, number: int, indices: range) -> _Part:
    program = replica.program
    assert program.evaluation is not None, "nothing to evaluate"
    request = Request(epoch=0, step=0, node=number, indices=tuple(indices))
    batch = moved(read(program.evaluation, program.seed, request), replica.device)
    seed = evaluation_seed(program.seed, replica.step, number)
    replica.seed_generators(seed)
    with autocast(replica.device, program.options.precision):
        value, factor, weight = weighed(replica.loss(replica.model, batch), len(indices))
    part: _Part = {"loss": float(value) * factor if weight else 0.0, "weight": weight}
    if program.metrics:
        replica.seed_generators(seed)
        part["metrics"] = _states(replica, batch)
    return part


def _states(replica: Replica, batch: Batch) -> dict[str, Any]:
    program = replica.program
    assert program.predict is not None, "metrics come with predictions"
    with autocast(replica.device, program.options.precision):
        predictions, targets = pair_of_predictions(program.predict(replica.model, batch))
    states: dict[str, Any] = {}
    for name, fresh in program.metrics.items():
        if _mergeable(fresh):
            metric = copy.deepcopy(fresh).to(replica.device)
            metric.update(predictions, targets)
            states[name] = {key: _host(value) for key, value in metric.metric_state.items()}
        else:
            states[name] = (_host(predictions), _host(targets))
    return states


def _merged(replica: Replica, parts: list[_Part]) -> dict[str, float]:
    weight = fsum(part["weight"] for part in parts)
    merged = {"loss": fsum(part["loss"] for part in parts) / weight if weight else float("nan")}
    for name, fresh in replica.program.metrics.items():
        try:
            merged[name] = number_of(name, _metric(fresh, [part["metrics"][name] for part in parts]).compute())
        except SpecError as error:
            raise UserError(f"{error} (in the evaluation after step {replica.step})") from error
        except Exception as error:
            raise UserError(
                f"metric {name!r} raised {type(error).__name__}: {error} (in the evaluation after step {replica.step})"
            ) from error
    return merged


def _metric(fresh: Metric, parts: list[Any]) -> Metric:
    """Merge what a metric saw in each batch, in the order of batches."""
    merge = _merge_states if _mergeable(fresh) else _update_in_turn
    return merge(copy.deepcopy(fresh).cpu(), parts)


def _update_in_turn(fresh: Metric, outputs: list[tuple[Any, Any]]) -> Metric:
    for predictions, targets in outputs:
        fresh.update(predictions, targets)
    return fresh


def _merge_states(fresh: Metric, states: list[dict[str, Any]]) -> Metric:
    merged = fresh
    for count, state in enumerate(states, start=1):
        # torchmetrics puts the incoming state first: the earlier batches come in to the later one.
        later = copy.deepcopy(fresh)
        for key, value in state.items():
            setattr(later, key, value)
        later._update_count = count  # noqa: SLF001  # a mean weighs what comes in by it
        if count > 1:
            later.merge_state({key: getattr(merged, key) for key in state})
        merged = later
    return merged


def _mergeable(metric: Metric) -> bool:
    return metric.full_state_update is False and not metric.dist_sync_on_step


def _host(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().cpu()
    return [_host(one) for one in value] if isinstance(value, list) else value


@contextmanager
def _evaluating(replica: Replica, mixed: bool) -> Iterator[None]:
    flags = [(module, module.training) for module in replica.model.modules()]
    switched = hasattr(replica.optimizer, "eval")  # schedule-free optimizers have two sets of weights
    # To and fro rounds, so where devices round differently the replicas would part.
    kept = copy.deepcopy(replica.learned()) if switched and mixed else None
    replica.model.eval()
    if switched:
        replica.optimizer.eval()  # type: ignore[attr-defined]  # asked for above
    try:
        with torch.no_grad():
            yield
    finally:
        for module, flag in flags:
            module.training = flag
        if switched:
            replica.optimizer.train()  # type: ignore[attr-defined]  # asked for above
        if kept is not None:
            replica.take_over(kept)


def _packed(value: Any) -> bytes:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def _unpacked(data: bytes) -> Any:
    return torch.load(io.BytesIO(data), weights_only=False)  # from our own group
