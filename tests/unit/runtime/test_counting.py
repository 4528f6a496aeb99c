"""Counting a pass without its device: operations, what is kept, and what could not be counted."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from vfnb.runtime import Counts, count
from vfnb.spec import Weighted

SAMPLES = 8


def total(counts: Counts) -> float:
    return sum(flops for flops, _ in counts.products)


def counted(model: nn.Module, batch: Any, precision: str = "no") -> Counts:
    return count(model, lambda model, batch: model(batch).float().sum(), batch, samples=SAMPLES, precision=precision)


class Attention(nn.Module):
    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.query = nn.Linear(16, 16)
        self.dropout = dropout

    def forward(self, tokens: Tensor) -> Tensor:
        query = self.query(tokens).unflatten(-1, (2, 8)).transpose(1, 2)
        return F.scaled_dot_product_attention(query, query, query, dropout_p=self.dropout)


class AsksForValues(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        y = self.linear(x)
        return y[y > 0]


class Branches(AsksForValues):
    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) * (1 if x.sum().item() > 0 else 2)


@torch.library.custom_op("vfnb_tests::doubled", mutates_args=())
def doubled(x: Tensor) -> Tensor:
    return 2 * x


@doubled.register_fake
def _(x: Tensor) -> Tensor:
    return torch.empty_like(x)


doubled.register_autograd(lambda _, gradient: 2 * gradient)


class Custom(AsksForValues):
    def forward(self, x: Tensor) -> Tensor:
        return doubled(self.linear(x))


def test_a_linear_layer_is_three_products_of_two_operations_a_multiply_add() -> None:
    counts = counted(nn.Sequential(nn.Linear(16, 32), nn.Linear(32, 4)), torch.zeros(SAMPLES, 16))

    # The input of the first needs no gradient.
    assert total(counts) == 2 * SAMPLES * (2 * 16 * 32 + 3 * 32 * 4)
    assert counts.needs_values == ""
    assert counts.uncounted == set()


def test_a_convolution_is_counted_forward_and_backward() -> None:
    counts = counted(nn.Conv2d(3, 5, 3, bias=False), torch.zeros(SAMPLES, 3, 8, 8))

    assert total(counts) == 2 * 2 * SAMPLES * 5 * 3 * 9 * 6 * 6


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_attention_is_counted_and_keeps_no_scores(dropout: float) -> None:
    tokens = 64

    counts = counted(Attention(dropout), torch.zeros(SAMPLES, tokens, 16))

    linear = 2 * 2 * SAMPLES * tokens * 16 * 16
    forward = 2 * 2 * SAMPLES * tokens * tokens * 16
    assert total(counts) == linear + forward + forward * 5 / 2  # backward computes the scores again
    assert counts.kept_bytes < 4 * SAMPLES * 2 * tokens * tokens


@pytest.mark.parametrize("layer", [nn.LSTM, nn.GRU])
def test_recurrent_layers_are_taken_apart_into_products(layer: type[nn.Module]) -> None:
    class Last(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = layer(4, 8, batch_first=True)

        def forward(self, x: Tensor) -> Tensor:
            return self.layer(x)[0][:, -1]

    counts = counted(Last(), torch.zeros(SAMPLES, 5, 4))

    assert total(counts) > 0
    assert counts.uncounted == set()


def test_what_autograd_keeps_is_counted_once_and_without_weights() -> None:
    counts = counted(nn.Sequential(nn.Linear(16, 32, bias=False), nn.Tanh()), torch.zeros(SAMPLES, 16))

    # The input for the weight's gradient, and tanh's output for its own.
    assert counts.kept_bytes == 4 * SAMPLES * (16 + 32)


def test_autocast_keeps_half_as_much_and_a_copy_of_the_weights() -> None:
    layers = [nn.Linear(64, 64, bias=False), nn.Tanh(), nn.Linear(64, 64, bias=False)]
    model, batch = nn.Sequential(*layers), torch.zeros(SAMPLES, 64)

    # Both layers' inputs, and the second's weights for its input's gradient.
    assert counted(model, batch, "bf16").kept_bytes == 2 * (2 * SAMPLES * 64 + 64 * 64)


@pytest.mark.parametrize(("model", "operator"), [(AsksForValues(), "nonzero"), (Branches(), "_local_scalar_dense")])
def test_a_model_that_needs_values_names_the_operator_and_is_counted_on_the_cpu(
    model: nn.Module, operator: str
) -> None:
    counts = counted(model, torch.ones(SAMPLES, 4))

    assert operator in counts.needs_values
    assert total(counts) == 2 * 2 * SAMPLES * 4 * 4


def test_an_operator_of_the_users_own_is_named_as_not_counted() -> None:
    assert "vfnb_tests.doubled" in counted(Custom(), torch.ones(SAMPLES, 4)).uncounted


def test_the_users_own_mistake_comes_through(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        counted(nn.Linear(5, 4), torch.ones(SAMPLES, 4))

    assert caplog.records == []


def test_counting_changes_nothing() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout())
    before = {name: one.clone() for name, one in model.state_dict().items()}
    generator = torch.get_rng_state()

    counted(model, torch.ones(SAMPLES, 4))

    assert all(torch.equal(before[name], one) for name, one in model.state_dict().items())
    assert all(one.grad is None for one in model.parameters())
    assert torch.equal(generator, torch.get_rng_state())


def test_a_weighted_loss_over_a_dictionary_is_counted() -> None:
    batch = {"x": torch.ones(SAMPLES, 4), "y": torch.zeros(SAMPLES, dtype=torch.long)}

    def loss(model: nn.Module, batch: dict[str, Tensor]) -> Weighted:
        return Weighted(F.cross_entropy(model(batch["x"]), batch["y"], reduction="sum"), (batch["y"] != -100).sum())

    counts = count(nn.Linear(4, 3), loss, batch, samples=SAMPLES, precision="no")

    assert total(counts) == 2 * 2 * SAMPLES * 4 * 3
    assert counts.needs_values == ""
