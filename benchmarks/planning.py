"""How well a step's time is predicted from a profile, and what "auto" is worth, each against a job that trains.

Profiles and steps are taken in turns, so that both see the same machine, and medians are compared.
"""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from statistics import median

import torch
from contenders import Training, until
from figures import Figure, spread
from workloads import WORKLOADS, Reader, Workload, perceptron, texts, vectors

import vfnb
from vfnb.planning import choice_of

_SETTINGS = {  # virtual nodes, samples a node, nodes a pass
    # A convnet's batch norm allows one node a pass: its settings are sizes of a node.
    "convnet": ((8, 4, 1), (8, 8, 1), (8, 16, 1)),
    "transformer": ((32, 4, 1), (32, 4, 2), (32, 4, 8)),
}
_PERCEPTRON = Workload(
    build=partial(perceptron, 64, 128, 10),
    data=partial(vectors, width=64),
    micro=4,
    optimizer=partial(torch.optim.SGD, lr=0.01, momentum=0.9),
)
_TRANSFORMER = Workload(
    build=partial(Reader, 4, 256),
    data=partial(texts, length=64),
    micro=4,
    optimizer=partial(torch.optim.AdamW, lr=1e-4),
)
_ROUNDS, _STEPS = 3, 4
_NODES, _SAMPLES = 64, 512


def figures() -> Iterator[Figure]:
    """Compare predictions with steps, then "auto" with one node a pass."""
    with tempfile.TemporaryDirectory(prefix="vfnb-bench-") as cache:
        os.environ["XDG_CACHE_HOME"] = cache  # profiles of this run alone
        for name in _SETTINGS:
            yield from _predictions(name)
        yield _auto("perceptron, 4 samples a node", _PERCEPTRON)
        yield _auto("4-layer 256-wide transformer, sequence 64, 4 samples a node", _TRANSFORMER)


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
        until(lambda: len(one.job.history) > 0)
        one.pause()
        auto.pause()
        gains = []
        for _ in range(4):
            steps = 2 if "transformer" in name else 50
            gains.append(median(one.steps(steps)) / median(auto.steps(steps)))
        chosen = next(event.nodes_per_pass for event in auto.job.events if hasattr(event, "nodes_per_pass"))
    value, low, high = spread(gains)
    return Figure(
        what=f'"auto" ({chosen} nodes a pass) against 1, {name}, {_NODES} nodes',
        value=value,
        low=low,
        high=high,
        unit="x",
        bound=1.3,
    )
