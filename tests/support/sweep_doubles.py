"""Sweeps for tests: an engine that plays runs without training, at once or when a test says so; and two short runs."""

from collections.abc import Callable
from functools import partial
from threading import Condition
from typing import Any

import torch
from jobs import tiny_task
from session_doubles import FakeRun, pairs, small_task
from torchmetrics.classification import MulticlassAccuracy

import vfnb
from vfnb.runtime import Launch, Program, Sink
from vfnb.session import Sweep
from vfnb.session.record import STEPS
from vfnb.spec import Options, Row, Stopped, to_json

LONG = 30.0
QUICK = Options(check=False)

Play = Callable[[Program, int], dict[str, Any]]


def accuracy(program: Program, step: int) -> dict[str, Any]:
    """Learn faster with small batches, a little differently with each seed."""
    value = 1 - 1 / (1 + step / program.global_batch) - 0.001 * program.seed
    return {"metrics": {"accuracy": value, "loss": 1 - value}, "noise_scale": 100.0 + program.seed}


class PlayedRun(FakeRun):
    """A run whose rows are written down, as workers do."""

    play: Play

    def commit(self, steps: int = 1, **fields: Any) -> None:
        for _ in range(steps):
            played = self.play(self.program, self.step + 1)
            row = {"step": self.step + 1, "epoch": 0, "loss": 1.0 / (self.step + 1), "lr": 0.1, "samples": 8}
            row |= {"samples_per_second": 80.0, "workers": len(self.devices), "at": 1e10 + self.step}
            with (self.launch.run_dir / STEPS).open("a", encoding="utf-8") as file:
                file.write(to_json(Row(**(row | played | fields))) + "\n")
            super().commit(1, **(row | played | fields))

    def stop(self) -> None:
        self.happen(Stopped(step=self.step))
        super().stop()


class PlayedEngine:
    """Plays runs to their end at once; `holding` keeps each at its first step until the test ends it.

    Args:
        play: What a row has.
        holding: Whether runs wait.
    """

    def __init__(self, play: Play = accuracy, *, holding: bool = False) -> None:
        self.play, self.holding = play, holding
        self.runs: list[PlayedRun] = []
        self._changed = Condition()

    def start(self, program: Program, launch: Launch, sink: Sink) -> PlayedRun:
        run = PlayedRun(program, launch, sink)
        run.play = self.play
        if self.holding:
            run.commit()
        else:
            run.commit(program.steps)
            run.end()
        with self._changed:
            self.runs.append(run)
            self._changed.notify_all()
        return run

    def begun(self, count: int) -> list[PlayedRun]:
        """Wait until so many runs have begun."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.runs) >= count, timeout=30)
        return self.runs

    @property
    def trained(self) -> list[tuple[int, int]]:
        """Batch and seed of each run, in the order they began."""
        return [(run.program.global_batch, run.program.seed) for run in self.runs]


def two_runs(**changes: Any) -> Sweep:
    """Begin a short run and one of five hundred quick steps, which is long enough to be met on its way."""
    given: dict[str, Any] = {"batches": [32, 64], "seeds": [0], "nodes": 1, "devices": 1}
    given["steps"] = lambda batch: 8 if batch == 32 else 500
    return vfnb.sweep(tiny_task(), **(given | changes))


def measured_task(**changes: Any) -> vfnb.Task:
    return small_task(**({"evaluate": pairs(), "metrics": {"accuracy": MulticlassAccuracy(2)}} | changes))


def by_rate(lr: float) -> vfnb.Task:
    return measured_task(optimizer=partial(torch.optim.SGD, lr=lr))


def unrated() -> vfnb.Task:
    return measured_task()


def swept(engine: Any = None, task: Any = None, **changes: Any) -> Sweep:
    """Begin a small sweep."""
    given: dict[str, Any] = {"batches": [4, 8], "seeds": range(2), "steps": 6, "options": QUICK}
    return vfnb.sweep(task or measured_task(), engine=engine or PlayedEngine(), **(given | changes))


def done(engine: Any = None, task: Any = None, **changes: Any) -> Sweep:
    """Make a small sweep to its end."""
    made = swept(engine, task, **changes)
    made.wait(LONG)
    return made
