"""Errors: families that users can catch, and what a worker's failure carries."""

import copy
import pickle

import pytest

from vfnb.ground import (
    CheckpointError,
    PlanError,
    SpecError,
    StateError,
    TrainingError,
    VfnbError,
    WorkerLostError,
)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (SpecError, ValueError),
        (PlanError, ValueError),
        (StateError, RuntimeError),
        (TrainingError, RuntimeError),
        (WorkerLostError, RuntimeError),
        (CheckpointError, RuntimeError),
    ],
)
def test_every_error_is_ours_and_a_builtin(error: type[VfnbError], builtin: type[Exception]) -> None:
    raised = error("text")

    assert isinstance(raised, VfnbError)
    assert isinstance(raised, builtin)
    assert str(raised) == "text"


@pytest.mark.parametrize("travel", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_a_training_error_travels_between_processes_whole(travel: object) -> None:
    error = TrainingError("loss raised", step=3, node=5, worker=1, traceback="Traceback ...")

    arrived = travel(error)  # type: ignore[operator]

    assert str(arrived) == "loss raised"
    assert (arrived.step, arrived.node, arrived.worker) == (3, 5, 1)
    assert arrived.traceback == "Traceback ..."


def test_a_training_error_needs_no_more_than_a_message() -> None:
    error = TrainingError("loss raised")

    assert (error.step, error.node, error.worker, error.traceback) == (None, None, None, "")
