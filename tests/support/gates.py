"""Gates that hold a run at a step until the test has seen what it waits for: no story depends on how fast it runs."""

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from vfnb.spec import Event
from vfnb.testing import FaultScript

_PATIENCE = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gates:
    """A probe: workers wait at the first pass of some steps until those are opened; faults strike as scripted.

    Attributes:
        folder: Where an opened gate leaves a file.
        steps: Which steps have a gate.
        script: What else happens.
    """

    folder: Path
    steps: tuple[int, ...]
    script: FaultScript = field(default_factory=FaultScript)

    def open(self, step: int) -> None:
        """Let a step go on."""
        (self.folder / f"gate-{step}").touch()

    def __call__(self, point: str, *, worker: int, step: int, detail: int = 0) -> float | None:
        """Strike, then wait."""
        slower = self.script(point, worker=worker, step=step, detail=detail)
        if (point, detail) == ("pass", 0) and step in self.steps:
            until = time.monotonic() + _PATIENCE
            while not (self.folder / f"gate-{step}").exists():
                assert time.monotonic() < until, f"the gate at step {step} was never opened"
                time.sleep(0.005)
        return slower


class Seen:
    """An `on_event` that others can wait on."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._news = threading.Condition()

    def __call__(self, event: Event) -> None:
        """Take an event in."""
        with self._news:
            self._events.append(event)
            self._news.notify_all()

    def wait_for(self, kind: type[Event], times: int = 1) -> Event:
        """Wait until an event of a kind was seen so many times, and give the last of them."""
        with self._news:
            assert self._news.wait_for(lambda: len(self._of(kind)) >= times, _PATIENCE), f"no {kind.__name__} came"
            return self._of(kind)[times - 1]

    def _of(self, kind: type[Event]) -> list[Event]:
        return [event for event in self._events if isinstance(event, kind)]
