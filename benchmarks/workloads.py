"""What is trained in the benchmarks: models with their data and losses, the same for vfnb and for its baselines."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import nn
from torch.utils.data import TensorDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A model, its data and how many samples a virtual node computes.

    Attributes:
        build: Makes the model.
        data: Makes the data: inputs and labels.
        micro: Samples a pass.
        optimizer: Called with the model's parameters.
    """

    build: Callable[[], nn.Module]
    data: Callable[[int], TensorDataset]
    micro: int
    optimizer: Callable[..., torch.optim.Optimizer]

    @property
    def loss(self) -> nn.Module:
        """Give the loss, a mean over samples."""
        return nn.CrossEntropyLoss()


class Residual(nn.Module):
    """Two convolutions with batch norm, and a way around them."""

    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inside, outside, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outside),
            nn.ReLU(),
            nn.Conv2d(outside, outside, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outside),
        )
        self.around = nn.Conv2d(inside, outside, 1, stride, bias=False)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Compute the block; images have shape [samples, channels, height, width]."""
        return torch.relu(self.body(images) + self.around(images))


class Reader(nn.Module):
    """A transformer encoder over tokens, classified by the mean of its outputs.

    Args:
        layers: How many.
        width: Of the model.
    """

    def __init__(self, layers: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(1000, width)
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, 10)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Give logits of shape [samples, 10] for tokens of shape [samples, length]."""
        return self.head(self.encoder(self.embedding(tokens)).mean(1))


def images(samples: int) -> TensorDataset:
    """Make images of shape [3, 32, 32] with labels."""
    made = torch.Generator().manual_seed(1)
    return TensorDataset(
        torch.randn(samples, 3, 32, 32, generator=made), torch.randint(0, 10, (samples,), generator=made)
    )


def texts(samples: int, length: int = 32) -> TensorDataset:
    """Make rows of tokens with labels."""
    made = torch.Generator().manual_seed(2)
    return TensorDataset(
        torch.randint(0, 1000, (samples, length), generator=made),
        torch.randint(0, 10, (samples,), generator=made),
    )


def vectors(samples: int, width: int) -> TensorDataset:
    """Make vectors with labels."""
    made = torch.Generator().manual_seed(3)
    return TensorDataset(torch.randn(samples, width, generator=made), torch.randint(0, 10, (samples,), generator=made))


def convnet() -> nn.Module:
    """Make a residual convnet of 0.7 million parameters."""
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, 1, 1, bias=False),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        Residual(32, 64, 2),
        Residual(64, 128, 2),
        Residual(128, 128, 2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(128, 10),
    )


def perceptron(*widths: int) -> nn.Module:
    """Make layers of the given widths with ReLU between them."""
    layers: list[nn.Module] = []
    for inside, outside in itertools.pairwise(widths):
        layers += [nn.Linear(inside, outside), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


_momentum = partial(torch.optim.SGD, lr=0.01, momentum=0.9)

WORKLOADS = {
    "convnet": Workload(build=convnet, data=images, micro=4, optimizer=_momentum),
    "transformer": Workload(
        build=partial(Reader, 4, 128), data=texts, micro=4, optimizer=partial(torch.optim.AdamW, lr=1e-4)
    ),
    "perceptron": Workload(
        build=partial(perceptron, 64, 128, 10), data=partial(vectors, width=64), micro=32, optimizer=_momentum
    ),
    # 100 MB of parameters in fp32
    "large": Workload(
        build=partial(perceptron, 1024, 4096, 4096, 1024, 10),
        data=partial(vectors, width=1024),
        micro=1,
        optimizer=partial(torch.optim.SGD, lr=0.01),
    ),
    "large with AdamW": Workload(
        build=partial(perceptron, 1024, 4096, 4096, 1024, 10),
        data=partial(vectors, width=1024),
        micro=1,
        optimizer=partial(torch.optim.AdamW, lr=1e-4),
    ),
}
