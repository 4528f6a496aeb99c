"""A history row."""

import dataclasses

import pytest

from vfnb.spec import Row


def test_a_row_has_what_history_shows_in_order() -> None:
    names = [field.name for field in dataclasses.fields(Row)]

    assert names == [
        "step",
        "epoch",
        "loss",
        "lr",
        "samples",
        "samples_per_second",
        "workers",
        "grad_norm",
        "noise_scale",
        "skipped",
        "at",
        "metrics",
        "fingerprint",
    ]


def test_rows_share_no_metrics() -> None:
    one, other = (
        Row(step=step, epoch=0, loss=1.0, lr=0.1, samples=8, samples_per_second=80.0, workers=2) for step in (1, 2)
    )

    assert one.metrics == {}
    assert one.metrics is not other.metrics
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.loss = 2.0  # type: ignore[misc]
