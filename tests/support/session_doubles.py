"""A small task and an engine that trains nothing: it commits steps, and ends, when a test says so."""

from collections.abc import Callable
from concurrent.futures import Future
from copy import deepcopy
from functools import partial
from pathlib import Path
from threading import Event as Flag
from typing import Any

import torch
from torch import nn
from torch.utils.data import TensorDataset

from vfnb.runtime import Engine, Launch, Program, Sign, Sink, State, Status, Worker, initial_state
from vfnb.session import Job, Task
from vfnb.spec import Device, Event, Finished, Mapping, Paused, Resized, Resumed, Row, VirtualCluster

CLUSTER = VirtualCluster(accelerator="", count=4, global_batch=8)
SAMPLES = 24


class Net(nn.Module):
    """A few weights and a few buffers."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU())
        self.head = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        answer: torch.Tensor = self.head(self.body(x))
        return answer


def seeded_net(seed: int = 0) -> Net:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return Net()


def pairs(samples: int = SAMPLES) -> TensorDataset:
    generator = torch.Generator().manual_seed(0)
    return TensorDataset(torch.randn(samples, 3, generator=generator), torch.arange(samples) % 2)


def small_task(**changes: Any) -> Task:
    parts: dict[str, Any] = {
        "model": seeded_net(),
        "train": pairs(),
        "loss": nn.CrossEntropyLoss(),
        "optimizer": partial(torch.optim.SGD, lr=0.1),
    }
    return Task(**(parts | changes))


class FakeRun:
    """A run in a test's hands."""

    def __init__(self, program: Program, launch: Launch, sink: Sink) -> None:
        self.program, self.launch, self.sink = program, launch, sink
        self.step = 0
        self.state: State = "running"
        self.devices, self.mapping = launch.devices, launch.mapping
        self.asked: list[str] = []
        self.signs: dict[int, Sign] = {}
        self.learned = initial_state(program)
        self._over = Flag()
        self.tell("running")

    def tell(self, state: State, failure: BaseException | None = None) -> None:
        counts = self.mapping.counts
        workers = tuple(
            Worker(id=worker, pid=1000 + worker, device=device, virtual_nodes=counts[worker])
            for worker, device in zip(self.mapping.workers if self.devices else (), self.devices, strict=True)
        )
        self.state = state
        over = state in ("done", "stopped", "failed")
        self.sink(
            Status(
                state=state,
                step=self.step,
                workers=() if over else workers,
                mapping=self.mapping if workers and not over else None,
                failure=failure,
            )
        )

    def commit(self, steps: int = 1, **fields: Any) -> None:
        for _ in range(steps):
            self.step += 1
            row = {"step": self.step, "epoch": 0, "loss": 1.0 / self.step, "lr": 0.1, "samples": 8}
            self.sink(Row(**(row | {"samples_per_second": 80.0, "workers": len(self.devices)} | fields)))
            for tensor in self.learned["parameters"].values():
                tensor.add_(1.0)
        self.tell(self.state)

    def happen(self, event: Event) -> None:
        self.sink(event)

    def end(self, state: State = "done", failure: BaseException | None = None) -> None:
        if state == "done":
            self.sink(Finished(step=self.step))
        self.tell(state, failure)
        self._over.set()

    def pause(self) -> None:
        self.asked.append("pause")
        self.sink(Paused(step=self.step))
        self.tell("paused")

    def resume(self) -> None:
        self.asked.append("resume")
        self.sink(Resumed(step=self.step))
        self.tell("running")

    def stop(self) -> None:
        self.asked.append("stop")
        self.end("stopped")

    def resize(self, devices: tuple[Device, ...]) -> "Future[Resized | None]":
        before, self.devices = self.devices, devices
        if devices:
            self.mapping = self.launch.policy.spread(self.mapping, range(len(devices)))
        self.state = "running" if devices else "paused"
        return self._switched(before)

    def remap(self, propose: Callable[[Mapping], Mapping]) -> "Future[Resized | None]":
        self.mapping = propose(self.mapping)
        return self._switched(self.devices)

    def save(self) -> "Future[Path]":
        self.asked.append("save")
        future: Future[Path] = Future()
        future.set_result(self.launch.run_dir / "checkpoints" / f"step-{self.step}")
        return future

    def snapshot(self) -> "Future[dict[str, Any]]":
        future: Future[dict[str, Any]] = Future()
        future.set_result(deepcopy(self.learned) | {"step": self.step})
        return future

    def activity(self) -> dict[int, Sign]:
        return dict(self.signs)

    def join(self, timeout: float | None = None) -> bool:
        return self._over.wait(timeout)

    def _switched(self, before: tuple[Device, ...]) -> "Future[Resized | None]":
        future: Future[Resized | None] = Future()
        names = tuple(map(str, before)), tuple(map(str, self.devices))
        future.set_result(Resized(step=self.step, before=names[0], after=names[1], downtime=0.1))
        self.tell(self.state)
        return future


class FakeEngine:
    """Starts runs that a test moves; `run` is the last one."""

    def __init__(self) -> None:
        self.run: FakeRun

    def start(self, program: Program, launch: Launch, sink: Sink) -> FakeRun:
        self.run = FakeRun(program, launch, sink)
        return self.run


class BrokenEngine:
    """Cannot start anything."""

    def start(self, program: Program, launch: Launch, sink: Sink) -> FakeRun:
        raise OSError("no processes left")


def started(engine: FakeEngine, **changes: Any) -> Job:
    """Start a small job in a test's hands; its directory is temporary where the test's folder is."""
    job = small_job(engine, **changes)
    job.start()
    return job


def small_job(engine: Engine, **changes: Any) -> Job:
    given: dict[str, Any] = {"task": small_task(), "cluster": CLUSTER, "devices": 2, "steps": 6}
    return Job(**(given | {"engine": engine} | changes))
