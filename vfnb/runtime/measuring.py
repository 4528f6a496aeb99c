"""A worker process that measures: on request, how long passes of so many samples take within the engine's own steps.

It runs what a worker runs, on the device's thread count, and trains nothing: the learning rate is 0. What a block and
a step add is read off a step of two blocks once; sizes are then measured in steps of one.
"""

import resource
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median

import torch

from vfnb.ground import TrainingError
from vfnb.runtime.feed import Feed
from vfnb.runtime.nursery import Errand
from vfnb.runtime.payload import unship
from vfnb.runtime.placement import accelerator
from vfnb.runtime.post import Post
from vfnb.runtime.program import Program
from vfnb.runtime.rehearsal import rehearse
from vfnb.runtime.replica import Replica
from vfnb.runtime.settings import apply_flags, deterministic
from vfnb.runtime.step import Halted, take_step
from vfnb.runtime.stretch import Stretch
from vfnb.runtime.troubles import MemoryShortError, is_memory
from vfnb.spec import Device, Layout, Mapping

ONE_BLOCK, TWO_BLOCKS = Layout(3, 1), Layout(5, 2)  # the second pass of a block is one like all that follow
_FEWEST, _MOST = 3, 40  # steps that are timed
_ENOUGH = 0.5  # seconds of them, once there are the fewest
_TOO_LONG = 4.0  # seconds after which one is enough
_WARM_UP = 2
_MORE = 2  # times as many of either for overheads, which are measured first and are small differences


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to measure.

    Attributes:
        samples: Of each pass.
        overheads: Whether to find what a block and a step add too.
    """

    samples: int
    overheads: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was measured.

    Attributes:
        samples: Of each pass.
        seconds: The median pass.
        passes: How many the median is of.
        memory_bytes: The peak.
        block_seconds: What a block adds; None where it was not asked for.
        step_seconds: What a step adds; None where it was not asked for.
    """

    samples: int
    seconds: float
    passes: int
    memory_bytes: int
    block_seconds: float | None = None
    step_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TooLarge:
    """A pass of so many samples does not fit the device."""

    samples: int


Answer = Reading | TooLarge | TrainingError


def main(errand: Errand, connection: Connection) -> None:
    """Answer requests until there are no more.

    Args:
        errand: What this worker is told first.
        connection: The channel to the kernel.
    """
    try:
        program, device = _prepared(errand)
    except Exception as error:  # noqa: BLE001  # whatever stands in the way of a start is the user's to know
        connection.send(_told(error))
        return
    while True:
        try:
            request: Request = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(_answer(program, device, request))


def _prepared(errand: Errand) -> tuple[Program, Device]:
    device = Device.parse(errand.device)
    apply_flags(errand.flags)
    torch.set_num_threads(device.threads)
    accelerator(device)
    program: Program = unship(Path(errand.payload))
    return program, device


def _answer(program: Program, device: Device, request: Request) -> Answer:
    layout = TWO_BLOCKS if request.overheads else ONE_BLOCK
    try:
        with deterministic():
            return _measured(_reduced(program, layout, request.samples), device, request)
    except Exception as error:  # noqa: BLE001  # the user's code may raise anything
        short = isinstance(error, MemoryShortError) or is_memory(error)
        return TooLarge(samples=request.samples) if short else _told(error)


def _reduced(program: Program, layout: Layout, samples: int) -> Program:
    """Make steps of whole passes of a size, without a schedule or loaders."""
    options = replace(program.options, nodes_per_pass=1, drop_last=True, loader_workers=0, stop_when=None)
    return replace(
        program,
        layout=layout,
        global_batch=layout.nodes * samples,
        schedule=None,
        options=options,
        nodes_per_pass=1,
    )


def _measured(program: Program, device: Device, request: Request) -> Reading:
    replica = Replica(program, device)
    for group in replica.optimizer.param_groups:
        group["lr"] = group["lr"] * 0
    _forget_peak(replica.device)
    rehearse(replica)
    steps = list(_steps(replica, _MORE if request.overheads else 1))
    memory = _peak(replica.device)
    # The second pass of the first block: gradients are there already, its batch is read as the last one ends.
    follows = median(at[2] - at[1] for at in steps)
    found = Reading(samples=request.samples, seconds=max(follows, 1e-9), passes=len(steps), memory_bytes=memory)
    if not request.overheads:
        return found
    block = median(at[4] - at[2] for at in steps) - 2 * follows
    step = median(at[-1] - at[0] for at in steps) - 5 * follows - 2 * block
    return replace(found, block_seconds=max(block, 0.0), step_seconds=max(step, 0.0))


def _steps(replica: Replica, times: int) -> Iterator[list[float]]:
    """Take steps and give the moments of each: where each pass began, then the step's end, from the step's own 0.

    The first moment is the step's beginning, which is taken as the first pass's.
    """
    layout = replica.program.layout
    clock = _Clock(replica.device)
    mapping = Mapping(layout, ((0, tuple(range(layout.blocks))),))
    post = Post(worker=0, mapping=mapping, probe=clock, stretch=Stretch(replica.place))
    feed = Feed(replica.program, replica.device)
    begun = 0.0
    for count in range(times * (_WARM_UP + _MOST)):
        clock.begin()
        outcome = take_step(replica, post, feed)
        clock.tick()
        if isinstance(outcome, Halted):
            raise outcome.error or MemoryError("a step was dropped")
        spent = clock.moments[-1] - (begun := begun or clock.moments[0])
        timed = count + 1 - times * _WARM_UP
        if timed > 0:
            yield clock.moments
        elif count == 0 and spent > _TOO_LONG:
            yield clock.moments  # warm or not: the size is past what is worth more time
            return
        if (timed >= times * _FEWEST and spent > times * _ENOUGH) or (timed > 0 and spent > _TOO_LONG):
            return


class _Clock:
    """A probe that keeps the moments at which passes begin; the device has finished what came before."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._begun = 0.0
        self.moments: list[float] = []

    def begin(self) -> None:
        self._wait()
        self._begun = time.perf_counter()
        self.moments = []

    def tick(self) -> None:
        self._wait()
        self.moments.append(time.perf_counter())

    def __call__(self, point: str, *, worker: int, step: int, detail: int = 0) -> None:
        if point == "pass" and detail == 0:
            self.moments = [self._begun]  # a step that is computed again begins anew
        elif point == "pass":
            self.tick()

    def _wait(self) -> None:
        if self._device.type != "cpu":
            getattr(torch, self._device.type).synchronize()


def _forget_peak(device: torch.device) -> None:
    if device.type in ("cuda", "xpu"):
        getattr(torch, device.type).reset_peak_memory_stats(device)


def _peak(device: torch.device) -> int:
    """Give the most memory held since it was forgotten; of a process it only grows, as sizes do."""
    if device.type in ("cuda", "xpu"):
        return int(getattr(torch, device.type).max_memory_reserved(device))
    if device.type == "mps":
        return int(torch.mps.driver_allocated_memory())
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size if sys.platform == "darwin" else size * 1024


def _told(error: Exception) -> TrainingError:
    if isinstance(error, TrainingError):
        return error
    told = f"measuring raised {type(error).__name__}: {error}"
    return TrainingError(told, traceback="".join(traceback.format_exception(error)))
