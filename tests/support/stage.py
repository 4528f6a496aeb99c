"""The conductor's world without processes: workers that do what they are told when the test says so."""

from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

from vfnb.runtime import messages
from vfnb.runtime.changes import Change
from vfnb.runtime.conductor import Conductor
from vfnb.runtime.engine import Launch, Policy, Status
from vfnb.runtime.seats import Wish
from vfnb.runtime.snapshot import Checkpoint
from vfnb.session.policy import policy
from vfnb.spec import Device, Event, Layout, Mapping, Row

_ENOUGH = 200


class Actor:
    """A worker's part: its step, what it was told, whether it trains."""

    def __init__(self) -> None:
        self.step = 0
        self.generation = 0
        self.trains = False
        self.told: deque[messages.Command] = deque()
        self.killed = False


class Stage:
    """A conductor over workers that are played here; nothing happens that the test does not ask for.

    Args:
        folder: For group files and states.
        workers: How many at first.
        paused: Whether to hold before the first step.
        resumed: The step of the checkpoint to go on from; 0 without one.
    """

    def __init__(self, folder: Path, workers: int = 2, *, paused: bool = False, resumed: int = 0) -> None:
        self.actors: dict[int, Actor] = {}
        self.news: list[Row | Event | Status] = []
        self.clock = 100.0
        self.folder = folder
        layout = Layout.of(8)
        rules: Policy = policy()
        start = Mapping(layout, ((0, tuple(range(layout.blocks))),))
        launch = Launch(
            devices=tuple(Device("cpu", index) for index in range(workers)),
            mapping=rules.spread(start, range(workers)),
            run_dir=folder,
            policy=rules,
            resume=Checkpoint(folder=self._checkpoint(resumed), step=resumed, identity="", state={})
            if resumed
            else None,
            paused=paused,
        )
        self.conductor = Conductor(launch, folder, self, self.news.append, lambda _: False)
        self.conductor.begin()

    def _checkpoint(self, step: int) -> Path:
        folder = self.folder / "checkpoints" / f"step-{step:08d}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "manifest.json").write_text("{}")
        torch.save({"step": step}, folder / "state.pt")
        return folder

    # -- the conductor's actions

    def start(self, worker: int, device: Device) -> None:
        """Take a worker in."""
        self.actors[worker] = Actor()

    def send(self, worker: int, command: messages.Command) -> None:
        """Keep a command until it is the worker's turn."""
        self.actors[worker].told.append(command)

    def kill(self, worker: int) -> None:
        """Remember that a worker was ended."""
        self.actors[worker].killed = True

    def now(self) -> float:
        """Give the stage's clock."""
        return self.clock

    # -- what the test has workers do

    def hear(self, worker: int, report: messages.Report) -> None:
        """Let a worker say something."""
        self.conductor.hear(worker, report)
        self.conductor.reconcile()

    def arrive(self, *workers: int) -> None:
        """Let new workers come up."""
        for worker in workers:
            self.hear(worker, messages.Hello(pid=1000 + worker))
            self.hear(worker, messages.Ready())

    def play(self) -> None:
        """Let every worker do all that it is told, until nobody is told anything."""
        for _ in range(_ENOUGH):
            busy = [worker for worker, actor in self.actors.items() if actor.told and not actor.killed]
            if not busy:
                return
            self.obey(busy[0])
        raise AssertionError("the conductor asks for the same things again and again")

    def obey(self, worker: int) -> messages.Command:
        """Let a worker do the next thing that it is told."""
        actor = self.actors[worker]
        command = actor.told.popleft()
        match command:
            case messages.Form(generation=generation):
                actor.generation, actor.trains = generation, True
                self.hear(worker, messages.Formed(generation=generation))
            case messages.Park() | messages.Abandon():
                self._stop_training(worker, command)
            case messages.Write():
                if command.writer == worker:
                    self.write(worker, command)
            case messages.Load(path=path):
                actor.step = int(torch.load(path, weights_only=True)["step"])
                self.hear(worker, messages.Loaded(step=actor.step))
            case messages.Leave():
                self.lose(worker)
        return command

    def _stop_training(self, worker: int, command: messages.Park | messages.Abandon) -> None:
        if not self.actors[worker].trains:
            return  # the command came too late
        if isinstance(command, messages.Park):
            self.park(worker)
        else:
            self.strand(worker)

    def park(self, worker: int, reason: messages.Reason = "ordered") -> None:
        """Let a worker stand still at a boundary."""
        actor = self.actors[worker]
        actor.trains = False
        self.hear(worker, messages.Parked(generation=actor.generation, step=actor.step, reason=reason))

    def strand(self, worker: int) -> None:
        """Let a worker find its group broken."""
        actor = self.actors[worker]
        actor.trains = False
        self.hear(worker, messages.Stranded(generation=actor.generation, step=actor.step))

    def write(self, worker: int, command: messages.Write, error: str | None = None) -> None:
        """Let a worker write its state, or fail to."""
        step = self.actors[worker].step
        path = Path(command.path)
        if command.checkpoint:
            path = self._checkpoint(step)
        else:
            torch.save({"step": step}, path)
        self.hear(worker, messages.Wrote(number=command.number, step=step, path=str(path), error=error))

    def commit(self, step: int, workers: Iterable[int]) -> None:
        """Let workers commit a step; the first one tells."""
        self.clock += 1.0
        members = sorted(workers)
        for worker in members:
            self.actors[worker].step = step
        record = messages.Record(row=row(step, len(members)), events=(), when=self.clock)
        first = members[0]
        told = messages.Committed(generation=self.actors[first].generation, records=(record,))
        self.hear(first, told)

    def lose(self, worker: int, reason: str = "ended by signal 9") -> None:
        """Let a worker be gone."""
        del self.actors[worker]
        self.conductor.lost(worker, reason)
        self.conductor.reconcile()

    # -- what the test asks of the conductor

    def ask(self, change: Change) -> Change:
        """Ask for a change."""
        self.conductor.change(change)
        self.conductor.reconcile()
        return change

    def wish(self, *, checkpoint: bool) -> Wish:
        """Ask for a state."""
        wish = Wish(checkpoint=checkpoint)
        self.conductor.wish(wish)
        self.conductor.reconcile()
        return wish

    def say(self, verb: str) -> None:
        """Pause, resume or stop."""
        getattr(self.conductor, verb)()
        self.conductor.reconcile()

    # -- what the test looks at

    def told(self, worker: int) -> list[str]:
        """Name what a worker is told and has not done."""
        return [type(command).__name__ for command in self.actors[worker].told]

    def events(self, kind: type[Any]) -> list[Any]:
        """List the events of a kind."""
        return [one for one in self.news if isinstance(one, kind)]

    @property
    def status(self) -> Status:
        """The last one told."""
        return [one for one in self.news if isinstance(one, Status)][-1]

    @property
    def workers(self) -> tuple[int, ...]:
        """Who is in the mapping, by the last status."""
        return tuple(worker.id for worker in self.status.workers)


def row(step: int, workers: int) -> Row:
    """Make a step's row."""
    return Row(
        step=step,
        epoch=0,
        loss=1.0,
        lr=0.1,
        samples=8,
        samples_per_second=8.0,
        workers=workers,
        grad_norm=None,
        noise_scale=None,
        skipped=False,
        at=0.0,
    )


def training(folder: Path, workers: int = 2, step: int = 3) -> Stage:
    """Give a stage whose workers train and have committed a step."""
    stage = Stage(folder, workers)
    stage.arrive(*range(workers))
    stage.play()
    stage.commit(step, range(workers))
    return stage


def resize(*indices: int) -> Change:
    """Ask for CPU slots."""
    return Change(devices=tuple(Device("cpu", index) for index in indices))


def even_again() -> Change:
    """Ask for the mapping that is there: a regroup and nothing else."""
    return Change(propose=lambda mapping: mapping)
