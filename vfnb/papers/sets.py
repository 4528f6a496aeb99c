"""What recipes train on and with: models and data sets by the names that recipe files use."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from torch import nn
from torchmetrics import Metric
from torchmetrics.classification import MulticlassAccuracy

from vfnb.papers import hub, networks, small, vision
from vfnb.papers.minilm import minilm, minilm_folder
from vfnb.papers.snippets import movie_snippets, tokenized


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a user's own data and weights lie.

    Attributes:
        data: A folder, or a data set's name for `datasets`; None takes the usual one.
        model: A folder or name for transformers; None takes the recipe's.
    """

    data: str | Path | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sets:
    """Data as a task takes them.

    Attributes:
        train: To learn from.
        evaluate: To measure on; None where a loss is all.
        loss: A criterion; None where the model's output has its own.
        classes: How many there are; None where nothing is classified.
    """

    train: Any
    evaluate: Any = None
    loss: nn.Module | None = None
    classes: int | None = None

    @property
    def metrics(self) -> dict[str, Metric] | None:
        """The share of right answers."""
        return None if self.classes is None else {"accuracy": MulticlassAccuracy(self.classes, average="micro")}


Model = Callable[[Source], Callable[[], nn.Module]]
Data = Callable[[Source], Sets]


def _network(make: Callable[[], nn.Module]) -> Model:
    return lambda _: make


def _of_hub(make: Callable[..., nn.Module], name: str, **settings: Any) -> Model:
    return lambda source: partial(make, source.model or name, **settings)


def _images(pair: tuple[Any, Any], classes: int) -> Sets:
    return Sets(train=pair[0], evaluate=pair[1], loss=nn.CrossEntropyLoss(), classes=classes)


def _movies(source: Source) -> Sets:
    train, test = movie_snippets(source.data)
    vocabulary = minilm_folder(source.data) / "tokenizer.json"
    return Sets(train=tokenized(train, vocabulary), evaluate=tokenized(test, vocabulary), classes=2)


def _glue(task: str, source: Source) -> Sets:
    train, test = hub.glue(task, source.model or hub.BERT_BASE, source.data)
    return Sets(train=train, evaluate=test, classes=2)


def _pages(source: Source) -> Sets:
    return Sets(train=hub.pages(source.model or hub.BERT_LARGE, source.data))


MODELS: Mapping[str, Model] = {
    "digits-convnet": _network(networks.digits_convnet),
    "fashion-convnet": _network(networks.fashion_convnet),
    "mnist1d-cnn": _network(networks.mnist1d_cnn),
    "mnist1d-cnn-norm": _network(networks.mnist1d_cnn_norm),
    "mnist-f1": _network(networks.mnist_f1),
    "mnist1d-mlp": _network(networks.mnist1d_mlp),
    "minilm": lambda source: partial(minilm, source.data),
    "resnet50": _network(vision.resnet50),
    "resnet18-cifar": _network(vision.resnet18_cifar),
    "bert-base": _of_hub(hub.classifier, hub.BERT_BASE, classes=2),
    "bert-large": _of_hub(hub.classifier, hub.BERT_LARGE, classes=2),
    "bert-large-masked": _of_hub(hub.masked, hub.BERT_LARGE),
}
DATA: Mapping[str, Data] = {
    "digits": lambda _: _images(small.digits(), 10),
    "fashion-mnist": lambda source: _images(small.fashion_mnist(source.data), 10),
    "mnist1d": lambda _: _images(small.mnist1d(), 10),
    "movie-snippets": _movies,
    "imagenet": lambda source: _images(vision.imagenet(source.data), 1000),
    "mnist": lambda source: _images(vision.mnist(source.data), 10),
    "cifar10": lambda source: _images(vision.cifar10(source.data), 10),
    "glue-sst2": partial(_glue, "sst2"),
    "glue-rte": partial(_glue, "rte"),
    "wikipedia": _pages,
}
