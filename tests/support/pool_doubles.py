"""Jobs of a pool in a test's hands: runs whose resizes are done when the test says so."""

from concurrent.futures import Future
from typing import Any

from session_doubles import FakeEngine, FakeRun, small_job

from vfnb.ground import ManualClock
from vfnb.planning import find_policy
from vfnb.runtime import Launch, Program, Sink
from vfnb.session import Job
from vfnb.session.pool.entry import Entry
from vfnb.session.pool.keeper import Keeper
from vfnb.spec import Device, Resized


class SlowRun(FakeRun):
    """A run whose resizes wait for the test."""

    def __init__(self, program: Program, launch: Launch, sink: Sink) -> None:
        self.pending: tuple[tuple[Device, ...], Future[Resized | None]] | None = None
        super().__init__(program, launch, sink)

    def resize(self, devices: tuple[Device, ...]) -> "Future[Resized | None]":
        """Remember what is asked."""
        assert self.pending is None, "a resize is asked while another is under way"
        future: Future[Resized | None] = Future()
        self.pending = devices, future
        return future

    def switch(self) -> None:
        """Let the resize be done."""
        assert self.pending is not None, "no resize was asked"
        (devices, future), self.pending = self.pending, None
        future.set_result(super().resize(devices).result())

    def refuse(self, error: Exception) -> None:
        """Let the resize be called off."""
        assert self.pending is not None, "no resize was asked"
        (_, future), self.pending = self.pending, None
        future.set_exception(error)


class SlowEngine(FakeEngine):
    """Starts slow runs."""

    run: SlowRun

    def start(self, program: Program, launch: Launch, sink: Sink) -> SlowRun:
        """Start one."""
        self.run = SlowRun(program, launch, sink)
        return self.run


class Hall:
    """A keeper on a clock that the test moves, and jobs that it steps."""

    def __init__(self, devices: int, policy: Any = "wfs") -> None:
        self.clock = ManualClock()
        slots = tuple(Device("cpu", index) for index in range(devices))
        self.keeper = Keeper(slots, find_policy(policy), self.clock)
        self.engines: dict[str, SlowEngine] = {}

    def submit(self, name: str, demand: int, priority: float = 5.0, **known: Any) -> Entry:
        """Let a job in and see to it."""
        engine = self.engines[name] = SlowEngine()
        job: Job = small_job(engine, name=name, devices=demand)
        entry = Entry(job=job, reins=job._hand_to("a pool"), arrival=self.keeper.now, priority=priority, **known)
        self.keeper.take_in(entry)
        self.keeper.turn()
        return entry

    def run(self, name: str) -> SlowRun:
        """Give a job's run."""
        return self.engines[name].run

    def switch(self, name: str) -> None:
        """Let a job's resize be done, and see to what follows."""
        self.run(name).switch()
        self.keeper.turn()

    def settle(self) -> None:
        """Let all resizes be done."""
        while waiting := [name for name, one in self.engines.items() if hasattr(one, "run") and one.run.pending]:
            self.switch(waiting[0])

    def end(self, name: str, state: Any = "done") -> None:
        """End a job, and see to what follows."""
        self.run(name).end(state, RuntimeError("no luck") if state == "failed" else None)
        self.keeper.turn()

    @property
    def held(self) -> dict[str, tuple[int, ...]]:
        """Who has which devices, by index."""
        return {
            name: tuple(sorted(device.index for device in entry.held)) for name, entry in self.keeper.entries.items()
        }
