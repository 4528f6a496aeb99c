"""Options: the defaults, and what is refused."""

import dataclasses
import re
from typing import Any

import pytest

from vfnb.ground import SpecError
from vfnb.spec import Options


def test_the_defaults_are_those_that_the_design_names() -> None:
    defaults = {field.name: field.default for field in dataclasses.fields(Options)}

    assert defaults == {
        "reduction": "exact",
        "blocks": None,
        "node_sizes": None,
        "nodes_per_pass": 1,
        "precision": "no",
        "clip_norm": None,
        "buffers": "mean",
        "drop_last": False,
        "batch_schedule": None,
        "nonfinite": "skip",
        "threads": 1,
        "loader_workers": 0,
        "collate": None,
        "evaluate_every": None,
        "checkpoint_every": 300.0,
        "keep": 2,
        "keep_best": None,
        "stop_when": None,
        "on_event": None,
        "log_with": (),
        "fingerprint_every": None,
        "stuck_after": None,
        "rebalance": None,
        "check": True,
    }


@pytest.mark.parametrize(
    "given",
    [
        {"reduction": "native"},
        {"blocks": 64, "nodes_per_pass": 4},
        {"precision": "fp16", "clip_norm": 1},
        {"buffers": "first", "drop_last": True, "nonfinite": "stop"},
        {"threads": 4, "loader_workers": 2, "collate": list},
        {"evaluate_every": 10, "checkpoint_every": None, "keep": 1, "keep_best": "-loss"},
        {"log_with": ("tensorboard", "wandb"), "fingerprint_every": 10},
        {"batch_schedule": ((1001, 160), (2001, 800))},
        {"stop_when": bool, "on_event": print, "stuck_after": 0.5, "check": False},
    ],
)
def test_takes_what_is_possible(given: dict[str, Any]) -> None:
    options = Options(**given)

    assert {name: getattr(options, name) for name in given} == given


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("reduction", "fast"),
        ("blocks", 0),
        ("node_sizes", 8),
        ("nodes_per_pass", 0),
        ("nodes_per_pass", "most"),
        ("nodes_per_pass", 1.5),
        ("precision", "fp32"),
        ("precision", None),
        ("clip_norm", 0.0),
        ("clip_norm", -1.0),
        ("clip_norm", float("inf")),
        ("clip_norm", float("nan")),
        ("clip_norm", True),
        ("buffers", "last"),
        ("drop_last", 1),
        ("nonfinite", "ignore"),
        ("threads", 0),
        ("threads", 1.5),
        ("loader_workers", -1),
        ("collate", "stack"),
        ("evaluate_every", 0),
        ("checkpoint_every", 0),
        ("checkpoint_every", "5m"),
        ("keep", 0),
        ("keep_best", ""),
        ("keep_best", "-"),
        ("keep_best", 3),
        ("stop_when", 100),
        ("on_event", "print"),
        ("fingerprint_every", 0),
        ("log_with", "tensorboard"),
        ("log_with", None),
        ("stuck_after", 0.0),
        ("rebalance", True),
        ("check", "no"),
    ],
)
def test_refuses_what_is_not_by_name_and_value(name: str, value: object) -> None:
    with pytest.raises(SpecError, match=f"{re.escape(f'{name}={value!r}')} .*; give "):
        Options(**{name: value})  # type: ignore[arg-type]


def test_sizes_of_nodes_are_whole_numbers_and_not_for_measured_passes() -> None:
    assert Options(node_sizes=[6, 2]).node_sizes == (6, 2)  # type: ignore[arg-type]  # as people write it
    with pytest.raises(SpecError, match="are no sizes; give one a virtual node"):
        Options(node_sizes=())
    with pytest.raises(SpecError, match="a size in node_sizes=0 is not possible"):
        Options(node_sizes=(6, 0))
    with pytest.raises(SpecError, match="is measured for nodes of one size"):
        Options(node_sizes=(6, 2), nodes_per_pass="auto")
    with pytest.raises(SpecError, match="adds nodes of one size"):
        Options(node_sizes=(6, 2), batch_schedule={5: 16})


def test_an_option_that_does_not_exist_is_no_option() -> None:
    with pytest.raises(TypeError, match="elastic"):
        Options(elastic=True)  # type: ignore[call-arg]


def test_an_unknown_tracker_is_refused_with_the_names_that_there_are() -> None:
    with pytest.raises(SpecError, match=r"'tensorbord', which is no tracker; there are aim, .*tensorboard"):
        Options(log_with=("tensorbord",))


def test_trackers_are_kept_as_a_tuple_each_once() -> None:
    options = Options(log_with=["wandb", "tensorboard", "wandb"])  # type: ignore[arg-type]  # a list is welcome

    assert options.log_with == ("wandb", "tensorboard")


def test_a_schedule_of_batches_is_kept_as_ordered_pairs() -> None:
    assert Options(batch_schedule={2001: 800, 1001: 160}).batch_schedule == ((1001, 160), (2001, 800))
    assert Options(batch_schedule=[(5, 2)]).growth == ((5, 2),)  # type: ignore[arg-type]  # a list is welcome
    assert Options(batch_schedule={}).batch_schedule is None
    assert Options().growth == ()


@pytest.mark.parametrize(
    ("schedule", "said"),
    [
        (160, "batch_schedule=160 is no schedule; give steps and batches such as {1001: 160}"),
        ([1001], r"batch_schedule=\[1001\] is no schedule"),
        ({1: 160}, "a step of batch_schedule=1 is not possible; give a whole number of at least 2"),
        ({1.5: 160}, "a step of batch_schedule=1.5 is not possible"),
        ({10: 0}, "batch_schedule's batch at step 10=0 is not possible; give a whole number of at least 1"),
        ({10: 160, 20: 160}, "batch_schedule goes from 160 to 160 at step 20; a batch only grows"),
        ({10: 1600, 20: 800}, "batch_schedule goes from 1,600 to 800 at step 20; a batch only grows"),
        ([(10, 160), (10, 320)], "batch_schedule names step 10 twice; give it one batch"),
    ],
)
def test_refuses_a_schedule_that_cannot_be(schedule: Any, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        Options(batch_schedule=schedule)
