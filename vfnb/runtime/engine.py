"""The contract of an engine: how a program is started, and what can be asked of it while it runs.

Two engines keep it: `InlineEngine` in the calling thread (the specification) and `LocalEngine` in worker
processes. Everything an engine has to say comes out of one `Sink`, as values, in order: rows, events and the
run's status.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from vfnb.runtime.board import Sign
from vfnb.runtime.program import Program
from vfnb.runtime.snapshot import Checkpoint
from vfnb.spec import Device, Event, Mapping, Resized, Row

State = Literal["new", "starting", "running", "paused", "resizing", "recovering", "done", "stopped", "failed"]
Snapshot = dict[str, Any]  # what `vfnb.runtime.snapshot` reads: step, parameters, buffers, optimizer, ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A live worker.

    Attributes:
        id: Never reused within a run.
        pid: Its process.
        device: What it owns.
        virtual_nodes: How many it computes each step.
    """

    id: int
    pid: int
    device: Device
    virtual_nodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Where a run stands.

    Attributes:
        state: In a word.
        step: The last committed step.
        workers: The live ones, by id.
        mapping: Blocks to workers, as the next step computes them; None before the start and after the end.
        failure: What ended a failed run, the user's traceback in it.
    """

    state: State
    step: int
    workers: tuple[Worker, ...] = ()
    mapping: Mapping | None = None
    failure: BaseException | None = None


Sink = Callable[[Row | Event | Status], None]


def unheard(said: Row | Event | Status) -> None:
    """Be a sink that nobody listens to.

    Args:
        said: Any news.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The pure decisions an engine needs from above.

    Attributes:
        spread: Even mapping of a layout over workers, close to the present mapping.
        remap: The mapping after some workers are lost.
    """

    spread: Callable[[Mapping, Sequence[int]], Mapping]
    remap: Callable[[Mapping, Sequence[int]], Mapping]


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How a run begins.

    Attributes:
        devices: By worker id, starting at 0.
        mapping: Over those workers, of all blocks that the run will have.
        run_dir: Exists; rows, events, logs and checkpoints go below it.
        policy: Pure decisions from above.
        resume: The checkpoint to go on from, verified by whoever read it; None to begin at step 1.
        name: The run's name, for messages.
        paused: Whether to hold before the first step.
    """

    devices: tuple[Device, ...]
    mapping: Mapping
    run_dir: Path
    policy: Policy
    resume: Checkpoint | None = None
    name: str = ""
    paused: bool = field(default=False)


@runtime_checkable
class Run(Protocol):
    """A started run. Every verb returns at once and may be called from any thread."""

    def pause(self) -> None:
        """Hold at the next step boundary; workers keep their devices."""
        ...

    def resume(self) -> None:
        """Go on after a pause."""
        ...

    def stop(self) -> None:
        """End at the next step boundary; called again, end at once."""
        ...

    def resize(self, devices: tuple[Device, ...]) -> "Future[Resized | None]":
        """Go on with these devices; workers whose device stays keep running."""
        ...

    def remap(self, propose: Callable[[Mapping], Mapping]) -> "Future[Resized | None]":
        """Go on with the mapping `propose` makes of the present one, over the same workers."""
        ...

    def save(self) -> "Future[Path]":
        """Write a checkpoint at the next boundary and give its folder."""
        ...

    def snapshot(self) -> "Future[Snapshot]":
        """Give the state as last committed, at the next boundary."""
        ...

    def activity(self) -> dict[int, Sign]:
        """Tell what each worker does right now, by id; a cached read."""
        ...

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the end; False when the time ran out first."""
        ...


@runtime_checkable
class Engine(Protocol):
    """What starts programs."""

    def start(self, program: Program, launch: Launch, sink: Sink) -> Run:
        """Start `program`; all news goes to `sink`, from one thread at a time."""
        ...
