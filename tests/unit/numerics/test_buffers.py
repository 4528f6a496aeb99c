import copy
from collections.abc import Sequence
from math import inf, nan
from typing import Literal

import pytest
import torch
from torch import Tensor, nn

from vfnb.ground import StateError
from vfnb.numerics import BufferMean, GridSum, IntGridSum, unique_buffers

NODES, SAMPLES = 6, 3
BLOCKS = [[0, 1], [2], [3, 4, 5]]
Policy = Literal["mean", "first"]


class Kinds(nn.Module):
    """One buffer of each kind that models have."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(4)
        self.register_buffer("mask", torch.tensor([-0.0, -inf, nan]))
        self.register_buffer("positions", torch.arange(3).expand(2, 3))
        self.register_buffer("replaced", torch.zeros(2), persistent=False)
        self.register_buffer("seen", torch.tensor(False))
        self.register_buffer("nothing", None)
        self.register_buffer("table", torch.zeros(70_000))
        self.register_buffer("counts", torch.zeros(70_000, dtype=torch.int64))
        self.codebooks = True

    def forward(self, x: Tensor) -> Tensor:
        self.replaced = self.replaced + x.mean()
        self.seen |= x.sum() > 0
        if self.codebooks:
            self.table.data[0] += x[0, 0]  # unseen by the version counter, as many codebooks are updated
            self.counts.data[1] += 2**40 + int(x[0, 0] * 1000)
        return self.norm(x)


def batch(node: int) -> Tensor:
    return torch.randn(SAMPLES, 4, generator=torch.Generator().manual_seed(node)) + node


def stepped(model: nn.Module, workers: Sequence[Sequence[int]], policy: Policy = "mean") -> dict[str, Tensor]:
    """Take a copy of the model through one step on some workers, given by their blocks; give its buffers."""
    replicas = [copy.deepcopy(model) for _ in workers]
    means = [BufferMean(replica, policy) for replica in replicas]
    grids = []
    for replica, mean, blocks in zip(replicas, means, workers, strict=True):
        grid = GridSum(mean.shapes, len(BLOCKS))
        grid.begin_([20] * len(mean.shapes))
        mean.snapshot_()
        for block in blocks:
            for node in BLOCKS[block]:
                mean.restore_()
                replica(batch(node))
                mean.add_(node, SAMPLES)
            grid.add_all_(mean.contributions())
        grids.append(grid)
    flat = torch.stack([grid.flat for grid in grids]).sum(0)
    bits = torch.stack([mean.first_bits() for mean in means]).sum(0)
    late = [one for mean in means if (one := mean.large_bits(bits)) is not None]
    assert len(late) in {0, len(means)}
    for mean, grid in zip(means, grids, strict=True):
        grid.flat.copy_(flat)
        sums = [grid.sum_of(index) for index in range(len(mean.names))]
        mean.commit_(sums, NODES * SAMPLES, bits, torch.stack(late).sum(0) if late else None)
    results = [dict(unique_buffers(replica)) for replica in replicas]
    for other in results[1:]:
        for name, buffer in other.items():
            assert same_bits(buffer, results[0][name]), name
    return results[0]


def same_bits(one: Tensor, other: Tensor) -> bool:
    return torch.equal(one.contiguous().view(-1).view(torch.uint8), other.contiguous().view(-1).view(torch.uint8))


def alone(model: nn.Module, node: int) -> dict[str, Tensor]:
    replica = copy.deepcopy(model)
    replica(batch(node))
    return dict(unique_buffers(replica))


@pytest.mark.parametrize("policy", ["mean", "first"])
@pytest.mark.parametrize("workers", [[[0], [1, 2]], [[2], [0], [1]], [[1, 2], [0]]])
def test_any_workers_give_the_bits_of_one(workers: list[list[int]], policy: Policy) -> None:
    model = Kinds()
    reference = stepped(model, [[0, 1, 2]], policy)

    found = stepped(model, workers, policy)

    assert all(same_bits(found[name], one) for name, one in reference.items())


def test_floating_buffers_become_the_weighted_mean_over_nodes() -> None:
    model = Kinds()
    nodes = [alone(model, node) for node in range(NODES)]

    found = stepped(model, [[0, 1, 2]])

    for name in ("norm.running_mean", "norm.running_var", "replaced", "table"):
        mean = torch.stack([one[name].double() for one in nodes]).mean(0)
        torch.testing.assert_close(found[name].double(), mean, rtol=1e-6, atol=1e-7)


def test_other_buffers_become_the_first_nodes_and_counters_advance_once() -> None:
    model = Kinds()
    first = alone(model, 0)

    found = stepped(model, [[1], [0, 2]])

    assert found["norm.num_batches_tracked"] == 1
    assert torch.equal(found["seen"], first["seen"])
    assert torch.equal(found["counts"], first["counts"])
    assert found["counts"][1] != 0


def test_under_first_every_buffer_is_the_first_nodes() -> None:
    model = Kinds()
    first = alone(model, 0)

    found = stepped(model, [[2, 1], [0]], "first")

    assert all(same_bits(found[name], one) for name, one in first.items())


def test_what_no_node_changes_keeps_its_bits() -> None:
    model = Kinds()

    found = stepped(model, [[0, 1], [2]])

    assert same_bits(found["mask"], model.mask)
    assert torch.equal(found["positions"], model.positions)
    assert same_bits(found["table"][1:], model.table[1:])


def test_large_buffers_that_stay_need_no_second_sum() -> None:
    model = Kinds()
    model.codebooks = False

    mean = BufferMean(model, "first")
    mean.snapshot_()
    model(batch(0))
    mean.add_(0, SAMPLES)

    assert mean.large_bits(mean.first_bits()) is None
    assert mean.first_bits().numel() < 100


def test_restoring_brings_back_values_and_the_tensors_themselves() -> None:
    model = Kinds()
    before = {name: buffer.clone() for name, buffer in unique_buffers(model).items()}
    replaced = model.replaced
    mean = BufferMean(model)
    mean.snapshot_()

    model(batch(1))
    mean.restore_()

    assert model.replaced is replaced
    assert all(same_bits(buffer, before[name]) for name, buffer in unique_buffers(model).items())


def test_a_tied_buffer_that_is_replaced_in_one_place_is_put_back_there() -> None:
    model = nn.ModuleList([nn.BatchNorm1d(4), nn.BatchNorm1d(4)])
    shared = model[0].running_mean
    model[1].running_mean = shared
    mean = BufferMean(model)
    mean.snapshot_()

    model[1].running_mean = torch.ones(4)
    mean.restore_()

    assert model[1].running_mean is shared
    assert mean.names == ("0.running_mean", "0.running_var", "1.running_var")


def test_the_step_starts_from_what_was_committed_last() -> None:
    model = Kinds()
    mean = BufferMean(model)
    mean.snapshot_()
    model.norm.running_mean.fill_(7.0)
    mean.snapshot_()
    model.norm.running_mean.fill_(9.0)

    mean.restore_()

    assert model.norm.running_mean.tolist() == [7.0] * 4


def test_a_buffer_attached_to_a_graph_is_read_without_it() -> None:
    model = Kinds()
    mean = BufferMean(model)
    mean.snapshot_()
    model.replaced = torch.ones(2, requires_grad=True) * 2

    mean.add_(0, SAMPLES)

    assert not any(one is not None and one.requires_grad for one in mean.contributions())


def test_a_block_without_passes_contributes_nothing() -> None:
    mean = BufferMean(Kinds())
    mean.snapshot_()

    assert set(mean.contributions()) == {None}


def test_a_buffer_that_becomes_infinite_shows_in_its_contribution() -> None:
    model = Kinds()
    mean = BufferMean(model)
    mean.snapshot_()
    model.norm.running_var[0] = inf
    mean.add_(0, SAMPLES)

    contribution = mean.contributions()[mean.names.index("norm.running_var")]

    assert contribution is not None
    assert not torch.isfinite(contribution).all()


@pytest.mark.parametrize("change", [torch.zeros(5), torch.zeros(4, dtype=torch.float64), None])
def test_a_buffer_that_changes_its_form_is_refused_by_name(change: Tensor | None) -> None:
    model = Kinds()
    mean = BufferMean(model)
    mean.snapshot_()
    model.norm.running_mean = change

    with pytest.raises(StateError, match=r"norm\.running_mean.*before training"):
        mean.add_(0, SAMPLES)


def test_a_model_without_buffers_costs_nothing() -> None:
    mean = BufferMean(nn.Linear(2, 2))
    mean.snapshot_()
    mean.restore_()
    mean.add_(0, 1)

    assert mean.contributions() == []
    assert mean.first_bits().numel() == 0
    mean.commit_([], 1, mean.first_bits())


def test_integers_ride_on_an_int64_sum_too() -> None:
    model = Kinds()
    mean = BufferMean(model)
    mean.snapshot_()
    model(batch(0))
    mean.add_(0, SAMPLES)
    grid = IntGridSum(mean.shapes, 1)
    grid.begin_([20] * len(mean.shapes))
    grid.add_all_([None if one is None else one.float() for one in mean.contributions()])
    bits = mean.first_bits(torch.int64)

    mean.commit_([grid.sum_of(index) for index in range(len(mean.names))], SAMPLES, bits, mean.large_bits(bits))

    assert model.norm.num_batches_tracked == 1
    assert model.counts[1] == alone(Kinds(), 0)["counts"][1]
