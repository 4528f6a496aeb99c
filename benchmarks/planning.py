"""How well a step's time is predicted from a profile, and what "auto" is worth, each against a job that trains.

Profiles and steps are taken in turns, so that both see the same machine, and medians are compared.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from statistics import median

import torch
from contenders import Training
from figures import Figure, spread
from workloads import WORKLOADS, Reader, Workload, perceptron, texts, vectors

import vfnb
from vfnb.planning import choice_of

_SETTINGS = {  # virtual nodes, samples a node, nodes a pass
    # A convnet's batch norm allows one node a pass: its settings are sizes of a node.
    "convnet": ((8, 4, 1), (8, 8, 1), (8, 16, 1)),
    "transformer": ((32, 4, 1), (32, 4, 2), (32, 4, 8)),
}
_WIDE = "4-layer 256-wide transformer, 64 tokens, 4 samples a node"
_SMALL = {
    "perceptron, 4 samples a node": Workload(
        build=partial(perceptron, 64, 128, 10),
        data=partial(vectors, width=64),
        micro=4,
        optimizer=partial(torch.optim.SGD, lr=0.01, momentum=0.9),
    ),
    "4-layer 128-wide transformer, 32 tokens, 1 sample a node": replace(WORKLOADS["transformer"], micro=1),
    _WIDE: Workload(
        build=partial(Reader, 4, 256),
        data=partial(texts, length=64),
        micro=4,
        optimizer=partial(torch.optim.AdamW, lr=1e-4),
    ),
}
_NO_SLOWER = 0.97
_LONG = 1.0  # seconds of a step, of which few are enough
_ROUNDS, _STEPS = 3, 4
_NODES, _SAMPLES = 64, 512


def figures() -> Iterator[Figure]:
    """Compare predictions with steps, then "auto" with one node a pass."""
    with tempfile.TemporaryDirectory(prefix="vfnb-bench-") as cache:
        os.environ["XDG_CACHE_HOME"] = cache  # profiles of this run alone
        for name in _SETTINGS:
            yield from _predictions(name)
        for name, work in _SMALL.items():
            yield _auto(name, work)
        yield _ceiling(_SMALL[_WIDE])


def _predictions(name: str) -> Iterator[Figure]:
    for nodes, micro, at_once in _SETTINGS[name]:
        told, took = _in_turns(replace(WORKLOADS[name], micro=micro), nodes, at_once)
        yield Figure(
            what=f"predicted over measured step, {name}, {nodes} nodes of {micro}, {at_once} a pass: off by",
            value=abs(median(told) / median(took) - 1),
            low=min(told) / max(took),
            high=max(told) / min(took),
            unit="",
            bound=0.15,
            sense="at most",
            note="the range is of the ratios",
        )


def _in_turns(work: Workload, nodes: int, at_once: int) -> tuple[list[float], list[float]]:
    """Give predicted steps, and the median step of each turn between them."""
    told, took = [], []
    with Training(work, nodes=nodes, samples=max(_SAMPLES, nodes * work.micro), nodes_per_pass=at_once) as training:
        training.pause()
        for _ in range(_ROUNDS):
            found = vfnb.profile(training.task, "cpu:0", batches=[work.micro * at_once], fresh=True)
            told.append(choice_of(at_once, training.job.cluster, found.speeds, workers=1).step_seconds)
            took.append(median(training.steps(_STEPS)))
    return told, took


def _auto(name: str, work: Workload) -> Figure:
    """Let a job under "auto" and one of one node a pass train in turns."""
    with (
        Training(work, nodes=_NODES, samples=_SAMPLES) as one,
        Training(work, nodes=_NODES, samples=_SAMPLES, nodes_per_pass="auto") as auto,
    ):
        one.pause()
        auto.pause()
        steps = 1 if one.median_step() > _LONG else 30
        gains = [median(one.steps(steps)) / median(auto.steps(steps)) for _ in range(_ROUNDS)]
        chosen = next(event.nodes_per_pass for event in auto.job.events if hasattr(event, "nodes_per_pass"))
    value, low, high = spread(gains)
    return Figure(
        what=f'"auto" ({chosen} nodes a pass) against 1, {name}, {_NODES} nodes',
        value=value,
        low=low,
        high=high,
        unit="x",
        bound=_NO_SLOWER if name == _WIDE else 1.3,
    )


def _ceiling(work: Workload) -> Figure:
    """Compare the best joint pass of k nodes with k passes of one, in plain torch: nothing can gain more."""
    torch.set_num_threads(1)
    model, loss, (inputs, labels) = work.build(), work.loss, work.data(16 * work.micro).tensors
    times: dict[int, list[float]] = {nodes: [] for nodes in (1, 2, 4, 8, 16)}
    for turn in range(_ROUNDS + 1):
        for nodes, of in times.items():
            size, begun = nodes * work.micro, time.perf_counter()
            for _ in range(8 // nodes or 1):
                loss(model(inputs[:size]), labels[:size]).backward()
            if turn:  # the first is not warm
                of.append((time.perf_counter() - begun) / (8 // nodes or 1) / nodes)
    gains = [median(times[1]) / median(of) for of in times.values()]
    return Figure(
        what=f"k passes of one node over one joint pass, in plain torch, the best k, {_WIDE}",
        value=max(gains),
        low=min(gains[1:]),
        high=max(gains),
        unit="x",
        note="the range is of k from 2 to 16",
    )
