"""Small image and signal sets that train in seconds, each as (train, test) of tensors."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import TensorDataset

from vfnb.papers.optional import needed
from vfnb.papers.places import find

Pair = tuple[TensorDataset, TensorDataset]
Shaped = Callable[[Tensor], Tensor]

_MNIST1D = Path(__file__).parent / "mnist1d.npz"
_FASHION = "fashion_mnist_10k.npz"
_MEAN, _STD = 0.286, 0.353  # of Fashion-MNIST's pixels


def mnist1d() -> Pair:
    """Read MNIST-1D as it was published: made by a procedure, no photographs (Greydanus and Kobak 2024, Apache-2.0).

    Returns:
        4,000 and 1,000 signals of shape (1, 40), 10 classes.
    """
    return _pair(_MNIST1D, lambda signals: signals.float().unsqueeze(1))


def digits() -> Pair:
    """Read scikit-learn's digits in a fixed shuffled order (UCI's; BSD-3).

    Returns:
        1,500 and 297 images of shape (1, 8, 8), 10 classes.
    """
    images, labels = needed("sklearn.datasets", "digits are read", "scikit-learn").load_digits(return_X_y=True)
    order = np.random.RandomState(0).permutation(len(labels))  # its stream never changes
    drawn = torch.from_numpy(images[order]).float().view(-1, 1, 8, 8) / 16
    targets = torch.from_numpy(labels[order]).long()
    return TensorDataset(drawn[:1500], targets[:1500]), TensorDataset(drawn[1500:], targets[1500:])


def fashion_mnist(folder: str | Path | None = None, *, train: int = 8_192) -> Pair:
    """Read the cut of Fashion-MNIST that lies beside the notebooks (Zalando SE 2017, MIT).

    Args:
        folder: Where the file lies; None looks beside the notebooks.
        train: How many of its 10,000 training images to take.

    Returns:
        So many and 5,000 normalised images of shape (1, 28, 28), 10 classes.
    """
    file = find(_FASHION, folder, "it comes with a checkout of the repository, in notebooks/data")
    training, test = _pair(file, lambda images: ((images / 255 - _MEAN) / _STD).unsqueeze(1))
    return TensorDataset(*training[:train]), test


def _pair(file: Path, shaped: Shaped) -> Pair:
    with np.load(file) as held:
        sets = [(held[f"x_{part}"], held[f"y_{part}"]) for part in ("train", "test")]
    train, test = (TensorDataset(shaped(torch.from_numpy(x)), torch.from_numpy(y).long()) for x, y in sets)
    return train, test
