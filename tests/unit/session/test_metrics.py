from typing import Any

import pytest
import torch
from torchmetrics import MeanMetric, MetricCollection
from torchmetrics.classification import MulticlassAccuracy

from vfnb.ground import SpecError
from vfnb.session.metrics import metrics_of


def test_metrics_are_copies_that_have_seen_nothing() -> None:
    mean = MeanMetric()
    mean.update(torch.tensor(5.0))

    fresh = metrics_of({"mean": mean})["mean"]
    fresh.update(torch.tensor(1.0))

    assert float(fresh.compute()) == 1.0
    assert float(mean.compute()) == 5.0


def test_a_collection_gives_its_metrics_by_name() -> None:
    assert list(metrics_of(MetricCollection({"top": MulticlassAccuracy(3)}))) == ["top"]


def test_none_measures_nothing() -> None:
    assert metrics_of(None) == {}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (MeanMetric(), "has no names; give a dictionary"),
        ({"mean": 3}, r"metrics\['mean'\] is a int, not a torchmetrics\.Metric"),
        ({3: MeanMetric()}, "name 3, which is no text"),
        ({"loss": MeanMetric()}, "'loss', which every evaluation gives already"),
    ],
)
def test_refuses_what_is_no_metric_by_name(given: Any, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        metrics_of(given)
