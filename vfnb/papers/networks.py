"""The small networks that the scaled experiments train."""

from torch import nn


def digits_convnet() -> nn.Module:
    """Make a convnet with batch norm for 8 x 8 images.

    Returns:
        The network, 10 classes.
    """
    layers = [nn.Conv2d(1, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 32, 3), nn.BatchNorm2d(32), nn.ReLU()]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(32 * 16, 10))


def fashion_convnet() -> nn.Module:
    """Make a convnet with batch norm for 28 x 28 images: two strided layers of 8 and 16 filters.

    Returns:
        The network, 10 classes.
    """
    first = [nn.Conv2d(1, 8, 5, stride=2, padding=2), nn.BatchNorm2d(8), nn.ReLU()]
    second = [nn.Conv2d(8, 16, 5, stride=2, padding=2), nn.BatchNorm2d(16), nn.ReLU()]
    return nn.Sequential(*first, *second, nn.Flatten(), nn.Linear(16 * 49, 64), nn.ReLU(), nn.Linear(64, 10))


def mnist1d_mlp() -> nn.Module:
    """Make two layers of 100 for signals of 40.

    Returns:
        The network, 10 classes.
    """
    return nn.Sequential(
        nn.Flatten(), nn.Linear(40, 100), nn.ReLU(), nn.Linear(100, 100), nn.ReLU(), nn.Linear(100, 10)
    )


def mnist1d_cnn() -> nn.Module:
    """Make MNIST-1D's own convnet: three strided layers of 25 filters, no batch norm.

    Returns:
        The network, 10 classes.
    """
    return nn.Sequential(*_strided(norm=False), nn.Flatten(), nn.Linear(125, 10))


def mnist1d_cnn_norm() -> nn.Module:
    """Make the same convnet with batch norm after each layer.

    Returns:
        The network, 10 classes.
    """
    return nn.Sequential(*_strided(norm=True), nn.Flatten(), nn.Linear(125, 10))


def _strided(*, norm: bool) -> list[nn.Module]:
    layers: list[nn.Module] = []
    for before, size in ((1, 5), (25, 3), (25, 3)):
        layers.append(nn.Conv1d(before, 25, size, stride=2, padding=1))
        layers += [nn.BatchNorm1d(25), nn.ReLU()] if norm else [nn.ReLU()]
    return layers


def mnist_f1() -> nn.Module:
    """Make the network F1 of Keskar et al.: five layers of 512 with batch norm for images of 28 x 28.

    Returns:
        The network, 10 classes.
    """
    layers: list[nn.Module] = [nn.Flatten()]
    for before in (784, 512, 512, 512, 512):
        layers += [nn.Linear(before, 512), nn.BatchNorm1d(512), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(512, 10))
