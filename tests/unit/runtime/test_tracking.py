"""Trackers are accelerate's, told on their own thread, and a failing one is nobody's end."""

import os
from pathlib import Path
from typing import Any

import accelerate
import accelerate.tracking as accelerated
import pytest
from accelerate.state import PartialState

from vfnb.runtime.tracking import Trackers, logged
from vfnb.spec import TRACKERS, Row

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # tensorboard's own


def row(step: int, **fields: Any) -> Row:
    given = {"step": step, "epoch": 0, "loss": 1 / step, "lr": 0.1, "samples": 8, "samples_per_second": 80.0}
    return Row(**(given | {"workers": 2} | fields))


class Memory(accelerated.GeneralTracker):
    """Remembers what it was told; fails where it is asked to."""

    name = "memory"
    requires_logging_directory = False
    main_process_only = True
    made: "list[Memory]" = []  # noqa: RUF012  # the test's own
    fails_at: str = ""

    def __init__(self, run_name: str) -> None:
        super().__init__()
        self.run, self.told, self.over = run_name, [], False
        self.made.append(self)
        self._fail("init")

    @property
    def tracker(self) -> "Memory":
        return self

    @accelerated.on_main_process
    def store_init_configuration(self, values: dict[str, Any]) -> None:
        accelerated.logger.debug("asks for the process state in accelerate itself")
        self.values = values

    @accelerated.on_main_process
    def log(self, values: dict[str, Any], step: int | None = None, **rest: Any) -> None:
        self._fail(f"log {step}")
        self.told.append((step, values))

    @accelerated.on_main_process
    def finish(self) -> None:
        self._fail("finish")
        self.over = True

    def _fail(self, at: str) -> None:
        if at == self.fails_at:
            raise OSError("no network")


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> type[Memory]:
    monkeypatch.setitem(accelerated.LOGGER_TYPE_TO_CLASS, "wandb", Memory)
    monkeypatch.setattr(accelerated, "get_available_trackers", lambda: ["wandb"])
    monkeypatch.setattr(Memory, "made", [])
    monkeypatch.setattr(Memory, "fails_at", "")
    return Memory


def told(names: tuple[str, ...], folder: Path, rows: int = 3) -> list[str]:
    warned: list[str] = []
    trackers = Trackers(names, run="base", folder=folder, settings={"seed": 3}, warn=warned.append)
    for step in range(1, rows + 1):
        trackers.tell(row(step))
    trackers.close()
    assert trackers.settled(60)
    return warned


def test_the_names_that_options_take_are_accelerates() -> None:
    known = {str(name) for name in accelerated.LOGGER_TYPE_TO_CLASS}

    assert set(TRACKERS) == known, f"accelerate {accelerate.__version__} has other trackers"


def test_every_row_is_told_in_order_and_the_end_too(memory: type[Memory], tmp_path: Path) -> None:
    assert told(("wandb",), tmp_path) == []

    (one,) = memory.made
    assert (one.run, one.values) == ("base", {"seed": 3})
    assert [step for step, _ in one.told] == [1, 2, 3]
    assert one.told[1][1]["loss"] == 0.5
    assert one.over


@pytest.mark.parametrize(("at", "steps"), [("init", []), ("log 2", [1]), ("finish", [1, 2, 3])])
def test_a_tracker_that_fails_is_told_of_once_and_left_out(
    memory: type[Memory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str, steps: list[int]
) -> None:
    monkeypatch.setattr(memory, "fails_at", at)

    (message,) = told(("wandb",), tmp_path)

    assert message == "the tracker wandb is told no more of this run: OSError: no network"
    assert [step for step, _ in memory.made[0].told] == steps


def test_a_tracker_that_is_not_installed_says_what_to_install(memory: type[Memory], tmp_path: Path) -> None:
    (message,) = told(("comet_ml",), tmp_path)

    assert message.endswith("it is not installed; pip install comet-ml")


def test_no_process_state_is_made_whatever_a_launcher_left_behind(
    memory: type[Memory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With these, making it would wait for three other processes.
    for name, value in {"WORLD_SIZE": "4", "RANK": "0", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1"}.items():
        monkeypatch.setitem(os.environ, name, value)
    monkeypatch.setattr(PartialState, "_shared_state", {})

    assert told(("wandb",), tmp_path) == []

    assert PartialState._shared_state == {}


def test_tensorboard_writes_its_file(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    assert told(("tensorboard",), tmp_path, rows=4) == []

    read = EventAccumulator(str(tmp_path / "base"))
    read.Reload()
    assert [(event.step, round(event.value, 6)) for event in read.Scalars("loss")] == [
        (1, 1.0),
        (2, 0.5),
        (3, 0.333333),
        (4, 0.25),
    ]


def test_what_is_logged_is_finite_and_has_the_historys_names() -> None:
    values = logged(row(2, loss=float("nan"), grad_norm=0.5, metrics={"loss": 0.7, "accuracy": 0.9}))

    assert values == {
        "epoch": 0,
        "lr": 0.1,
        "samples": 8,
        "samples_per_second": 80.0,
        "workers": 2,
        "grad_norm": 0.5,
        "evaluation_loss": 0.7,
        "accuracy": 0.9,
    }
