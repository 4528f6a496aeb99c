"""How well a step's time is predicted from a profile, and what "auto" is worth, each against a job that trains."""

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median

import torch
from contenders import Training, until
from figures import Figure, spread
from workloads import WORKLOADS, Reader, Workload, perceptron, texts, vectors

import vfnb
from vfnb.planning import choice_of

_SETTINGS = {
    # A convnet's batch norm allows one node a pass: its settings are sizes of a node.
    "convnet": ((8, 4, 1), (8, 8, 1), (8, 16, 1)),
    "transformer": ((32, 4, 1), (32, 4, 2), (32, 4, 8)),
}
_SMALL = {
    "perceptron, 4 samples a node": Workload(
        build=partial(perceptron, 64, 128, 10),
        data=partial(vectors, width=64),
        micro=4,
        optimizer=partial(torch.optim.SGD, lr=0.01, momentum=0.9),
    ),
    "4-layer 256-wide transformer, sequence 64, 4 samples a node": Workload(
        build=partial(Reader, 4, 256),
        data=partial(texts, length=64),
        micro=4,
        optimizer=partial(torch.optim.AdamW, lr=1e-4),
    ),
}
_NODES, _SAMPLES = 64, 512


def figures() -> Iterator[Figure]:
    """Compare predictions with steps, then "auto" with one node a pass."""
    for name, settings in _SETTINGS.items():
        ratios = [_predicted(name, *setting) for setting in settings]
        worst = max(ratios, key=lambda ratio: abs(ratio - 1))
        yield Figure(
            what=f"predicted over measured step, {name}, worst of three settings off by",
            value=abs(worst - 1),
            low=min(ratios),
            high=max(ratios),
            unit="",
            bound=0.15,
            sense="at most",
            note="the range is of the ratios",
        )
    for name, work in _SMALL.items():
        WORKLOADS[name] = work
        yield _auto(name)


def _predicted(name: str, nodes: int, micro: int, at_once: int) -> float:
    """Give the predicted step over the measured one."""
    work, samples = WORKLOADS[name], max(_SAMPLES, nodes * micro)
    task = vfnb.Task(work.build, work.data(samples), work.loss, work.optimizer)
    cluster = vfnb.VirtualCluster.parse(str(nodes), global_batch=nodes * micro)
    found = vfnb.profile(task, "cpu:0", batches=[micro * at_once])
    options = vfnb.Options(nodes_per_pass=at_once)
    told = choice_of(at_once, cluster, found.speeds, workers=1).step_seconds
    with tempfile.TemporaryDirectory(prefix="vfnb-bench-") as folder:
        job = vfnb.Job(task, cluster, devices=["cpu:0"], steps=8, run_dir=Path(folder) / "run", options=options)
        job.start()
        job.wait()
        history = job.history
    return told / median((history.samples / history.samples_per_second).tolist()[1:])


def _auto(name: str) -> Figure:
    """Let a job under "auto" and one of one node a pass train in turns."""
    with (
        Training(name, nodes=_NODES, samples=_SAMPLES) as one,
        Training(name, nodes=_NODES, samples=_SAMPLES, nodes_per_pass="auto") as auto,
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
