"""Virtual nodes of several sizes: the right mean, every sample once, and what is said of them."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from jobs import finished
from torch import nn
from torch.utils.data import TensorDataset

import vfnb
from vfnb.ground import SpecError
from vfnb.numerics import Course, permutation
from vfnb.spec import Warned

STEPS = 12


def _data(samples: int) -> tuple[torch.Tensor, torch.Tensor]:
    inputs = torch.randn(samples, 5, generator=torch.Generator().manual_seed(4))
    return inputs, inputs.argmax(1) % 3


def _model() -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(7)
        return nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 3))


def _job(folder: Path, sizes: tuple[int, ...], samples: int = 44, loss: Any = None, **options: Any) -> vfnb.Job:
    model = _model()
    task = vfnb.Task(
        model,
        TensorDataset(*_data(samples)),
        loss or nn.CrossEntropyLoss(),
        partial(torch.optim.SGD, lr=0.2, momentum=0.9),
    )
    cluster = vfnb.VirtualCluster.parse(str(len(sizes)), global_batch=sum(sizes))
    given: dict[str, Any] = {"devices": 1, "engine": "inline", "steps": STEPS} | options
    chosen = vfnb.Options(node_sizes=sizes, **given.pop("options", {}))
    return vfnb.Job(task, cluster, run_dir=folder / f"run-{len(list(folder.iterdir()))}", options=chosen, **given)


def _plain(samples: int, batch: int) -> dict[str, torch.Tensor]:
    model, (inputs, labels) = _model(), _data(samples)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
    for step in range(1, STEPS + 1):
        epoch, places = Course(samples, batch).at(step)
        order = permutation(samples, 0, epoch)[list(places)]
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs[order]), labels[order]).backward()
        optimizer.step()
    return model.state_dict()


@pytest.mark.parametrize("reduction", ["exact", "native"])
@pytest.mark.parametrize("sizes", [(6, 2), (5, 5, 1), (3, 3, 3, 1, 1)])
def test_six_and_two_samples_give_the_large_batchs_step(sizes: tuple[int, ...], reduction: str, tmp_path: Path) -> None:
    job = finished(_job(tmp_path, sizes, options={"reduction": reduction}))

    theirs = _plain(44, sum(sizes))  # an epoch ends with a short batch
    assert all(torch.allclose(one, theirs[name], rtol=1e-5, atol=1e-7) for name, one in job.model.state_dict().items())


def test_a_mean_of_means_would_be_told_from_it(tmp_path: Path) -> None:
    halves = finished(_job(tmp_path, (4, 4))).model.state_dict()
    split = finished(_job(tmp_path, (6, 2), loss=_mean_of_means)).model.state_dict()

    assert not torch.allclose(split["0.weight"], halves["0.weight"], rtol=1e-5, atol=1e-7)


def _mean_of_means(model: nn.Module, batch: Any) -> vfnb.Weighted:
    return vfnb.Weighted(nn.functional.cross_entropy(model(batch[0]), batch[1]), 1.0)


class _Read(TensorDataset):
    """Keeps which samples were asked for."""

    def __init__(self, *tensors: torch.Tensor) -> None:
        super().__init__(*tensors)
        self.read: list[int] = []

    def __getitem__(self, index: Any) -> Any:
        self.read.append(index)
        return super().__getitem__(index)


def test_every_sample_is_read_once_an_epoch(tmp_path: Path) -> None:
    model, data = _model(), _Read(*_data(45))
    task = vfnb.Task(model, data, nn.CrossEntropyLoss(), partial(torch.optim.SGD, lr=0.1))
    cluster = vfnb.VirtualCluster.parse("3", global_batch=12)
    options = vfnb.Options(node_sizes=(7, 3, 2), check=False)
    job = vfnb.Job(task, cluster, devices=1, engine="inline", epochs=2, run_dir=tmp_path / "run", options=options)
    job.start()

    # The pass before step 1 has no effect, and reads virtual node 0's samples once more.
    first, last = data.read[-90:-45], data.read[-45:]
    assert sorted(first) == sorted(last) == list(range(45))
    assert first != last


def test_says_what_several_sizes_change(tmp_path: Path) -> None:
    uneven, even = _job(tmp_path, (6, 2)), _job(tmp_path, (4, 4))

    said = [one.message for one in uneven.check() if isinstance(one, Warned)]

    assert any(message.startswith("virtual nodes have 2 to 6 samples: batch norm") for message in said)
    assert not any("virtual nodes have" in str(one) for one in even.check())


def test_the_bits_belong_to_the_sizes_and_not_to_the_mapping(tmp_path: Path) -> None:
    alone = finished(_job(tmp_path, (6, 2, 2)))
    other = finished(_job(tmp_path, (2, 6, 2)))
    together = finished(_job(tmp_path, (6, 2, 2), devices=["cpu:0", "cpu:1"], engine="local"))

    assert together.fingerprint == alone.fingerprint != other.fingerprint
    assert together.identity == alone.identity != other.identity


@pytest.mark.parametrize(
    ("sizes", "said"),
    [((6, 1), "node_sizes add up to 7, the global batch is 8"), ((6, 1, 1), "node_sizes has 3 sizes, the cluster 2")],
)
def test_refuses_sizes_that_are_not_the_targets(sizes: tuple[int, ...], said: str) -> None:
    task = vfnb.Task(_model(), TensorDataset(*_data(20)), nn.CrossEntropyLoss(), partial(torch.optim.SGD, lr=0.1))

    with pytest.raises(SpecError, match=said):
        vfnb.Job(
            task,
            vfnb.VirtualCluster.parse("2", global_batch=8),
            devices=1,
            steps=1,
            options=vfnb.Options(node_sizes=sizes),
        )
