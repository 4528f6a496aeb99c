"""The gradient noise scale against its definition: the covariance of every single sample's gradient."""

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap

from vfnb.numerics import NoiseScale

SAMPLES, BATCH, BLOCKS, BATCHES = 600, 64, 8, 4000


def small_model() -> tuple[nn.Module, Tensor, Tensor]:
    torch.manual_seed(0)
    inputs = torch.randn(SAMPLES, 10, dtype=torch.float64)
    labels = (inputs[:, 0] + 0.5 * torch.randn(SAMPLES, dtype=torch.float64) > 0).long()
    return nn.Sequential(nn.Linear(10, 8), nn.Tanh(), nn.Linear(8, 2)).double(), inputs, labels


def train(model: nn.Module, inputs: Tensor, labels: Tensor, steps: int) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    for _ in range(steps):
        drawn = torch.randperm(SAMPLES)[:BATCH]
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs[drawn]), labels[drawn]).backward()
        optimizer.step()


def each_gradient(model: nn.Module, inputs: Tensor, labels: Tensor) -> Tensor:
    """Compute the gradient of every sample alone, a row each."""

    def loss(parameters: dict[str, Tensor], one: Tensor, label: Tensor) -> Tensor:
        return nn.functional.cross_entropy(functional_call(model, parameters, (one[None],)), label[None])

    parameters = {name: value.detach() for name, value in model.named_parameters()}
    found = vmap(grad(loss), in_dims=(None, 0, 0))(parameters, inputs, labels)
    return torch.cat([one.flatten(1) for one in found.values()], dim=1)


@pytest.mark.parametrize("steps", [0, 20, 100])
def test_it_agrees_with_the_trace_of_the_covariance_at_three_points_of_training(steps: int) -> None:
    model, inputs, labels = small_model()
    train(model, inputs, labels, steps)
    gradients = each_gradient(model, inputs, labels)
    trace, square = float(gradients.var(0).sum()), float(gradients.mean(0).square().sum())

    seen = []
    for _ in range(BATCHES):
        drawn = gradients[torch.randperm(SAMPLES)[:BATCH]].view(BLOCKS, BATCH // BLOCKS, -1).mean(1)
        norms = drawn.square().sum(1).tolist()
        mean = float(drawn.mean(0).square().sum())
        seen.append(NoiseScale().updated(norms, [BATCH // BLOCKS] * BLOCKS, mean, BATCH, SAMPLES))
    s, g2 = (sum(values) / BATCHES for values in ([one.s or 0.0 for one in seen], [one.g2 or 0.0 for one in seen]))

    assert s == pytest.approx(trace, rel=0.1)
    assert s / g2 == pytest.approx(trace / square, rel=0.1)
