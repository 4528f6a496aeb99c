"""ImageNet, CIFAR-10 and their networks, for those who have torchvision."""

from pathlib import Path
from typing import Any

from torch import nn

from vfnb.ground import SpecError
from vfnb.papers.optional import needed

_IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
_CIFAR10 = ((0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616))


def resnet50() -> nn.Module:
    """Make a ResNet-50 whose residual branches begin at zero, as Goyal et al. train it.

    Returns:
        The network, 1000 classes.
    """
    made: nn.Module = _torchvision().models.resnet50(zero_init_residual=True)
    return made


def resnet18_cifar() -> nn.Module:
    """Make a ResNet-18 for images of 32 x 32: a first layer of 3 x 3, and no pooling after it.

    Returns:
        The network, 10 classes.
    """
    made: Any = _torchvision().models.resnet18(num_classes=10, zero_init_residual=True)
    made.conv1 = nn.Conv2d(3, made.conv1.out_channels, 3, padding=1, bias=False)
    made.maxpool = nn.Identity()
    network: nn.Module = made
    return network


def imagenet(folder: str | Path | None) -> tuple[Any, Any]:
    """Read ImageNet with the usual crops and flips.

    Args:
        folder: With `train` and `val`, a folder a class in each.

    Returns:
        (train, validation).

    Raises:
        SpecError: If there is no such folder.
    """
    place = None if folder is None else Path(folder)
    if place is None or not (place / "train").is_dir() or not (place / "val").is_dir():
        raise SpecError(
            f"data={folder!r} is no ImageNet, which nobody may pass on; give the folder with your copy: train and val, "
            "and in each a folder a class"
        )
    vision = _torchvision()
    make = vision.transforms
    to_tensor = [make.ToTensor(), make.Normalize(*_IMAGENET)]
    drawn = make.Compose([make.RandomResizedCrop(224), make.RandomHorizontalFlip(), *to_tensor])
    centred = make.Compose([make.Resize(256), make.CenterCrop(224), *to_tensor])
    of = vision.datasets.ImageFolder
    return of(str(place / "train"), transform=drawn), of(str(place / "val"), transform=centred)


def cifar10(folder: str | Path | None) -> tuple[Any, Any]:
    """Read CIFAR-10 with the usual crops and flips.

    Args:
        folder: Where it lies, or is downloaded to; None is `data`.

    Returns:
        (train, test).
    """
    vision = _torchvision()
    make = vision.transforms
    to_tensor = [make.ToTensor(), make.Normalize(*_CIFAR10)]
    drawn = make.Compose([make.RandomCrop(32, padding=4), make.RandomHorizontalFlip(), *to_tensor])
    place = str(folder or "data")
    of = vision.datasets.CIFAR10
    return (
        of(place, train=True, transform=drawn, download=True),
        of(place, train=False, transform=make.Compose(to_tensor), download=True),
    )


def mnist(folder: str | Path | None) -> tuple[Any, Any]:
    """Read MNIST as it is.

    Args:
        folder: Where it lies, or is downloaded to; None is `data`.

    Returns:
        (train, test).
    """
    vision = _torchvision()
    place, to_tensor = str(folder or "data"), vision.transforms.ToTensor()
    train, test = (
        vision.datasets.MNIST(place, train=part, transform=to_tensor, download=True) for part in (True, False)
    )
    return train, test


def _torchvision() -> Any:
    return needed("torchvision", "images and their networks are taken", "torchvision")
