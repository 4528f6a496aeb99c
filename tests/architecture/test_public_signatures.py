"""The public signatures are frozen: a changed argument also changes this file."""

import inspect
from operator import attrgetter

import pytest

import vfnb

SIGNATURES = {
    "VirtualCluster": ["accelerator", "count", "global_batch"],
    "VirtualCluster.parse": ["text", "global_batch"],
    "Weighted": ["sum", "weight"],
    "Resized": ["step", "at=0.0", "before", "after", "downtime"],
    "Options": [
        "reduction='exact'",
        "blocks=None",
        "node_sizes=None",
        "nodes_per_pass=1",
        "precision='no'",
        "clip_norm=None",
        "buffers='mean'",
        "drop_last=False",
        "batch_schedule=None",
        "nonfinite='skip'",
        "threads=1",
        "loader_workers=0",
        "collate=None",
        "evaluate_every=None",
        "checkpoint_every=300.0",
        "keep=2",
        "keep_best=None",
        "stop_when=None",
        "on_event=None",
        "log_with=()",
        "fingerprint_every=None",
        "stuck_after=None",
        "rebalance=None",
        "check=True",
    ],
    "Task": [
        "model",
        "train",
        "loss",
        "optimizer",
        "schedule=None",
        "evaluate=None",
        "predict=None",
        "metrics=None",
    ],
    "Job": [
        "task",
        "cluster",
        "devices=None",
        "seed=0",
        "epochs=None",
        "steps=None",
        "name=None",
        "run_dir=None",
        "engine='local'",
        "options=None",
    ],
    "Job.load": [
        "path",
        "task",
        "devices=None",
        "engine='local'",
        "name=None",
        "run_dir=None",
        "options=None",
        "trust=False",
    ],
    "Job.start": [],
    "Job.pause": [],
    "Job.resume": [],
    "Job.stop": [],
    "Job.check": [],
    "Job.wait": ["timeout=None"],
    "Job.map": ["nodes"],
    "Job.rebalance": [],
    "Job.save": ["path=None"],
    "Job.dashboard": [],
    "Pool": ["devices=None", "policy='wfs'"],
    "Pool.submit": ["job", "priority=5.0", "deadline=None", "rates=None"],
    "Pool.priority": ["job", "priority"],
    "Pool.cancel": ["job"],
    "Pool.wait": ["timeout=None"],
    "Pool.close": [],
    "Pool.dashboard": [],
    "papers.list": [],
    "papers.card": ["name"],
    "papers.load": ["name", "scale='binder'", "batch=None", "data=None", "model=None"],
    "devices": [],
    "plan": ["task", "cluster", "devices=None", "profile=None", "options=None"],
    "profile": ["task", "devices=None", "batches=None", "options=None", "fresh=False"],
    "compare": ["runs"],
    "open_run": ["path"],
    "sweep": [
        "task",
        "batches",
        "seeds=range(0, 3)",
        "grid=None",
        "nodes=None",
        "epochs=None",
        "steps=None",
        "target=None",
        "devices=None",
        "at_once=1",
        "name='sweep'",
        "run_dir=None",
        "engine='local'",
        "options=None",
    ],
    "verify": ["run", "task", "devices=None", "engine='local'"],
    "estimate": [
        "task",
        "cluster",
        "epochs=None",
        "steps=None",
        "sequence=None",
        "precision=None",
        "measured=None",
        "price_usd_per_hour=None",
        "watts=None",
    ],
}

MEMBERS = (
    "state",
    "step",
    "identity",
    "workers",
    "activity",
    "history",
    "events",
    "fingerprint",
    "fingerprint_notes",
    "model",
    "resize",
    "map",
)


def signature(name: str) -> list[str]:
    parameters = inspect.signature(attrgetter(name)(vfnb)).parameters.values()
    return [
        parameter.name if parameter.default is inspect.Parameter.empty else f"{parameter.name}={parameter.default!r}"
        for parameter in parameters
        if parameter.name != "self"
    ]


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_public_signature_is_this(name: str) -> None:
    assert signature(name) == SIGNATURES[name], "a changed signature also changes this list, docs and CHANGELOG.md"


@pytest.mark.parametrize("name", ["Job", "Job.load"])
def test_what_configures_a_job_is_given_by_name(name: str) -> None:
    parameters = inspect.signature(attrgetter(name)(vfnb)).parameters.values()

    optional = [parameter for parameter in parameters if parameter.default is not inspect.Parameter.empty]

    assert {parameter.kind for parameter in optional} == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("name", MEMBERS)
def test_a_job_has(name: str) -> None:
    assert hasattr(vfnb.Job, name)
