"""Tiny stand-ins for torchvision and datasets, and a tiny BERT on disk, as the packages would give them."""

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import torch
from torch import nn

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "good", "bad", "film", "plot", "dull", "fine", "it", "is"]


class Pictures:
    """A data set of random pictures; what it was asked for is kept."""

    def __init__(self, root: str, *, classes: int, side: int, **asked: Any) -> None:
        self.root, self.asked = root, asked
        draw = torch.Generator().manual_seed(0)
        channels = 1 if side == 28 else 3
        self.images = torch.rand(24, channels, side, side, generator=draw)
        self.labels = torch.randint(0, classes, (24,), generator=draw).tolist()

    def __len__(self) -> int:
        return 24

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return self.asked["transform"](self.images[index]), self.labels[index]


class Step:
    """A transform that leaves its picture as it is."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self.given, self.named = given, named

    def __call__(self, image: torch.Tensor) -> torch.Tensor:
        return image


class Compose(Step):
    """Several transforms."""


class Network(nn.Module):
    """A network with the parts of a ResNet that recipes change."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 7, stride=2, padding=3, bias=False)
        self.maxpool = nn.MaxPool2d(2)
        self.fc = nn.Linear(4, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.fc(self.maxpool(self.conv1(images)).mean((2, 3)))


def torchvision() -> ModuleType:
    """Give a module with the parts of torchvision that recipes use."""
    made = ModuleType("torchvision")

    def resnet(*, num_classes: int = 1000, zero_init_residual: bool) -> Network:
        assert zero_init_residual
        return Network(num_classes)

    steps = dict.fromkeys(("ToTensor", "Normalize", "RandomResizedCrop", "RandomCrop", "RandomHorizontalFlip"), Step)
    made.models = SimpleNamespace(resnet50=resnet, resnet18=resnet)  # type: ignore[attr-defined]
    made.transforms = SimpleNamespace(**steps, Resize=Step, CenterCrop=Step, Compose=Compose)  # type: ignore[attr-defined]
    made.datasets = SimpleNamespace(  # type: ignore[attr-defined]
        ImageFolder=lambda root, transform: Pictures(root, classes=1000, side=64, transform=transform),
        CIFAR10=lambda root, **asked: Pictures(root, classes=10, side=32, **asked),
        MNIST=lambda root, **asked: Pictures(root, classes=10, side=28, **asked),
    )
    return made


def datasets(asked: list[tuple[Any, ...]]) -> ModuleType:
    """Give a module whose load_dataset has a few sentences; what is asked for is kept in the list."""
    made = ModuleType("datasets")
    rows = [{"sentence": "it is a good film", "label": 1}, {"sentence": "a dull plot", "label": 0}] * 8
    pairs = [{"sentence1": "it is fine", "sentence2": "a bad film", "label": 1}] * 8
    texts = [{"text": "it is a good film a dull plot it is fine"}] * 8

    def load_dataset(*names: Any, **options: Any) -> Any:
        asked.append((*names, options) if options else names)
        if options.get("split") == "train":
            return texts
        held = pairs if "rte" in names else rows
        return {"train": held, "validation": held[:4]}

    made.load_dataset = load_dataset  # type: ignore[attr-defined]
    return made


def tiny_bert(folder: Path) -> str:
    """Write a BERT of one narrow layer with a vocabulary of fourteen words; transformers loads it by the folder."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    config = BertConfig(vocab_size=len(WORDS), max_position_embeddings=130, **sizes)
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(3)
        BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(vocab={word: index for index, word in enumerate(WORDS)}).save_pretrained(folder)
    return str(folder)
