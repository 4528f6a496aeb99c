"""What a run computes, as one value: everything a worker needs, and nothing about workers.

A program travels to worker processes by value; two programs that are equal train to equal bits.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch
from torch import nn
from torchmetrics import Metric

from vfnb.numerics import Course
from vfnb.spec import Layout, Options, Weighted

Batch = Any  # whatever the collate gives


class MapStyle(Protocol):
    """A data set that knows its length and gives a sample by its index."""

    def __len__(self) -> int:
        """Return how many samples there are."""
        ...

    def __getitem__(self, index: int, /) -> Any:
        """Return one sample."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where batches come from: a data set, and how samples become a batch.

    Attributes:
        dataset: Map-style: `len` and indexing by int.
        collate: A list of one virtual node's samples to a batch; None for torch's default.
        shuffle: Whether each epoch has an order of its own.
    """

    dataset: MapStyle
    collate: Callable[[list[Any]], Batch] | None = None
    shuffle: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What to learn, on which virtual nodes, for how long.

    Attributes:
        model: On the CPU, with the run's initial weights.
        loss: From model and batch to the mean over the batch (0-d) or a `Weighted`; a module is moved along.
        predict: From model and batch to (predictions, targets), for metrics; None where there are no metrics.
        train: The training data.
        evaluation: The evaluation data, in its own order; None to evaluate nothing.
        metrics: By name, fresh; their states merge in batch order.
        optimizer: Called with the model on its device.
        schedule: Called with the optimizer and the total steps; None for a constant rate.
        layout: The virtual nodes and their blocks, those that come in later too.
        global_batch: Samples of the first step; the options may let it grow.
        seed: Of the run.
        steps: The last step's number, from 1.
        options: The rarer choices.
        identity: JSON of what the run is, written beside each checkpoint.
        nodes_per_pass: Virtual nodes computed at once, a number where the options say "auto".
        halvings: From which step on fewer are, and how many: where a run is repeated that was halved.
    """

    model: nn.Module
    loss: Callable[[nn.Module, Batch], torch.Tensor | Weighted]
    predict: Callable[[nn.Module, Batch], tuple[torch.Tensor, torch.Tensor]] | None
    train: Source
    evaluation: Source | None
    metrics: Mapping[str, Metric]
    optimizer: Callable[[nn.Module], torch.optim.Optimizer]
    schedule: Callable[[torch.optim.Optimizer, int], torch.optim.lr_scheduler.LRScheduler] | None
    layout: Layout
    global_batch: int
    seed: int
    steps: int
    options: Options
    identity: str
    nodes_per_pass: int = 1
    halvings: tuple[tuple[int, int], ...] = ()

    @property
    def course(self) -> Course:
        """Which epoch and which samples each step is of."""
        return Course(len(self.train.dataset), self.global_batch, self.options.growth, self.options.drop_last)

    @property
    def evaluation_batch(self) -> int:
        """Samples of one evaluation batch: a virtual node's share, whatever the mapping and the step."""
        return -(-self.global_batch // self.layout.at(1).nodes)


def private_copy(program: Program) -> Program:
    """Copy what a replica in this process would change: it moves model and loss to its device and trains them.

    Args:
        program: Stays as it is.

    Returns:
        The same program with a model and a loss of its own.
    """
    return replace(program, model=deepcopy(program.model), loss=deepcopy(program.loss))
