"""Many virtual nodes: 1024 at a global batch of 32,768 on two workers, and 32,768 of them at all."""

import time
from collections.abc import Iterator
from statistics import median

import torch
from contenders import Baseline, Training
from figures import Figure
from workloads import WORKLOADS

from vfnb.numerics import absmaxes, order_free_sum

_PAIRS = 10
_NODES, _WORKERS, _BLOCKS, _STEPS = 1024, 2, 32, 3


def figures() -> Iterator[Figure]:
    """Measure what is added to a step, and that a great many virtual nodes train."""
    yield _added()
    yield _accepted(32_768)


def _added() -> Figure:
    passes, samples = _NODES // _WORKERS, _NODES * 32
    added = []
    with (
        Baseline("bare", "perceptron", passes=passes, samples=samples) as one,
        Baseline("bare", "perceptron", passes=passes, samples=samples) as two,
        Training("perceptron", nodes=_NODES, samples=samples, workers=_WORKERS, blocks=_BLOCKS) as training,
    ):
        sum_seconds = _exact_sum() * _BLOCKS / _WORKERS
        for _ in range(_PAIRS):
            for bare in (one, two):  # side by side, as the workers are
                bare.ask(_STEPS)
            # A step lasts until the slower of two is done, whoever adds up their gradients.
            plain = median(map(max, zip(one.answer(), two.answer(), strict=True)))
            added.append(median(training.steps(_STEPS)) - plain - sum_seconds)
    found = sorted(1e3 * value for value in added)
    return Figure(
        what="1024 virtual nodes, batch 32,768, 2 workers: vfnb adds to a step",
        value=median(found),
        low=found[1],
        high=found[-2],
        unit="ms",
        bound=1.0 + 0.060 * passes,
        sense="at most",
        note=f"{passes} passes a worker; the exact sum, {1e3 * sum_seconds:.1f} ms, is left out",
    )


def _exact_sum() -> float:
    """Give the seconds of one block's contribution to the exact sum: its magnitudes, rounding and adding.

    A pass comes before each, as in a step: it leaves other things in the caches than the sum's own.
    """
    torch.set_num_threads(1)
    work = WORKLOADS["perceptron"]
    model, loss = work.build(), work.loss
    inputs, labels = work.data(work.micro).tensors
    gradients = [torch.randn_like(one) for one in model.parameters()]
    total = order_free_sum([one.shape for one in gradients], _BLOCKS)
    total.begin_([0] * len(gradients))
    seconds = []
    for _ in range(200):
        loss(model(inputs), labels).backward()
        begun = time.perf_counter()
        absmaxes(gradients)
        total.add_all_with_sqnorm_(gradients, 1.0)
        seconds.append(time.perf_counter() - begun)
    return median(seconds)


def _accepted(nodes: int) -> Figure:
    with Training("perceptron", nodes=nodes, samples=nodes * 32, workers=_WORKERS) as training:
        (seconds,) = training.steps(1)
    return Figure(
        what=f"{nodes:,} virtual nodes, 2 workers: a step",
        value=seconds,
        low=seconds,
        high=seconds,
        unit="s",
        note=f"global batch {nodes * 32:,}",
    )
