import pytest
from session_doubles import pairs, small_task
from torch import nn
from torch.utils.data import DataLoader
from torchmetrics.classification import MulticlassAccuracy

import vfnb
from vfnb.ground import SpecError


def test_reads_every_part_once() -> None:
    task = small_task(evaluate=pairs(6), metrics={"accuracy": MulticlassAccuracy(2)})

    assert len(task.parts.train.source.dataset) == 24
    assert task.parts.evaluation is not None
    assert len(task.parts.evaluation.source.dataset) == 6
    assert list(task.parts.metrics) == ["accuracy"]
    assert task.parts.schedule is None


def test_a_loss_of_none_is_the_models_own() -> None:
    assert small_task(loss=None).parts.loss is None


def test_refuses_metrics_without_data_to_measure_them_on() -> None:
    with pytest.raises(SpecError, match=r"metrics=\['accuracy'\] have no data; give evaluate="):
        small_task(metrics={"accuracy": MulticlassAccuracy(2)})


def test_gathers_what_was_not_taken_over() -> None:
    loader = DataLoader(pairs(), batch_size=2, drop_last=True)

    remarks = small_task(train=loader, evaluate=loader).parts.remarks

    assert [remark.split("'")[0] for remark in remarks] == ["train", "evaluate"]


def test_prints_as_one_line() -> None:
    assert repr(small_task()) == "Task(Net, 24 samples)"


def test_is_the_public_name() -> None:
    assert vfnb.Task is type(small_task())


def test_a_factory_is_printed_by_its_name() -> None:
    assert repr(small_task(model=lambda: nn.Linear(3, 2))) == "Task(<lambda>, 24 samples)"
