"""What to learn: model, data, loss and optimizer in the forms that people have them in."""

from collections.abc import Callable
from collections.abc import Mapping as Table
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler
from torchmetrics import Metric

from vfnb.ground import SpecError
from vfnb.session.data import Data, data_of
from vfnb.session.loss import Loss, loss_of
from vfnb.session.metrics import metrics_of
from vfnb.session.model import Origin, origin_of
from vfnb.session.optimizer import Copied, OptimizerMaker, optimizer_of
from vfnb.session.predict import Predict, predict_of
from vfnb.session.schedule import Schedule, schedule_of
from vfnb.spec import Weighted


class Task:
    """What to learn. Every job of a task starts from the same weights.

    Args:
        model: A module, copied now, so that running a cell again gives the same run; or a function of no
            arguments that makes one, called by each job under that job's seed.
        train: A data set with `len` and `[index]`, or a DataLoader, whose data set, collate_fn, num_workers
            and whether it shuffles are taken.
        loss: A function of model and batch to the mean over the batch or a `vfnb.Weighted`; a criterion such
            as `nn.CrossEntropyLoss()` for batches of (inputs, targets); or None for models whose output has
            `.loss`.
        optimizer: `partial(torch.optim.AdamW, lr=...)` or a class, called with the parameters; a function of
            the model; or an optimizer built on this model, of which class, groups and hyperparameters are
            copied.
        schedule: A function of the optimizer and the total steps to a torch LR scheduler, stepped each step.
        evaluate: Data to evaluate on, as for `train`; gone through in their own order.
        predict: A function of model and batch to (predictions, targets) for metrics. None does so for
            (inputs, targets), and for dictionaries with labels.
        metrics: torchmetrics by name.

    Raises:
        SpecError: If one of them is in no form that can be trained; it says which and what to give.
    """

    def __init__(  # noqa: PLR0913, PLR0917  # a task is what these eight are
        self,
        model: nn.Module | Callable[[], nn.Module],
        train: Any,
        loss: Callable[[nn.Module, Any], torch.Tensor | Weighted] | nn.Module | None,
        optimizer: Callable[..., Optimizer] | Optimizer,
        schedule: Callable[[Optimizer, int], LRScheduler] | None = None,
        evaluate: Any = None,
        predict: Callable[[nn.Module, Any], tuple[torch.Tensor, torch.Tensor]] | None = None,
        metrics: Table[str, Metric] | None = None,
    ) -> None:
        self.parts = Parts(
            model=origin_of(model),
            train=data_of(train, "train"),
            loss=loss_of(loss),
            optimizer=optimizer_of(optimizer, model),
            schedule=schedule_of(schedule),
            evaluation=None if evaluate is None else data_of(evaluate, "evaluate"),
            predict=predict_of(predict),
            metrics=metrics_of(metrics),
        )

    def __repr__(self) -> str:
        return f"Task({self.parts.model.name}, {len(self.parts.train.source.dataset):,} samples)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A task as it was read: every part in the one form that jobs use.

    Attributes:
        model: Where each job's model comes from.
        train: The training data.
        loss: A function of model and batch; None where the model has its own.
        optimizer: A function of the model.
        schedule: A function of the optimizer and the total steps; None for a constant rate.
        evaluation: The evaluation data; None to evaluate nothing.
        predict: A function of model and batch to (predictions, targets).
        metrics: By name, fresh.

    Raises:
        SpecError: If there are metrics and nothing to measure them on.
    """

    model: Origin
    train: Data
    loss: Loss | None
    optimizer: OptimizerMaker
    schedule: Schedule | None
    evaluation: Data | None
    predict: Predict
    metrics: dict[str, Metric]

    def __post_init__(self) -> None:
        if self.metrics and self.evaluation is None:
            raise SpecError(
                f"metrics={sorted(self.metrics)} have no data; give evaluate=, a data set to measure them on"
            )

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was not taken over from what the user gave, a sentence each."""
        data = self.train.remarks + (() if self.evaluation is None else self.evaluation.remarks)
        return data + (self.optimizer.remarks if isinstance(self.optimizer, Copied) else ())
