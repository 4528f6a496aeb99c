"""A target of 32,768 devices is accepted, and trains to the same bits on two workers."""

from functools import partial
from pathlib import Path

import pytest
import torch
from jobs import finished, slots
from torch import nn
from torch.utils.data import TensorDataset

import vfnb

NODES = 32_768


@pytest.mark.parametrize(("batch", "nodes_per_pass"), [(2 * NODES, 1024), (2048, 1)])
def test_a_cluster_of_32768_devices_trains_on_two_workers(batch: int, nodes_per_pass: int, tmp_path: Path) -> None:
    drawn = torch.Generator().manual_seed(8)
    data = TensorDataset(torch.randn(batch, 4, generator=drawn), torch.arange(batch) % 3)
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(7)
        task = vfnb.Task(nn.Linear(4, 3), data, nn.CrossEntropyLoss(), partial(torch.optim.SGD, lr=0.1))
    cluster = vfnb.VirtualCluster.parse(f"{NODES}xTPUv3", global_batch=batch)
    options = vfnb.Options(nodes_per_pass=nodes_per_pass)
    alone, together = (
        finished(
            vfnb.Job(task, cluster, steps=2, devices=devices, engine=engine, options=options, run_dir=tmp_path / engine)
        )
        for engine, devices in (("inline", 1), ("local", slots(2)))
    )

    assert together.history.samples.tolist() == [batch, batch]
    assert set(together.history.workers) == {2}
    assert together.fingerprint == alone.fingerprint
