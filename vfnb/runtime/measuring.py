"""A worker process that measures: on request, how long passes of so many samples take within the engine's own steps.

It runs what a worker runs, on the device's thread count, and trains nothing: the learning rate is 0. A pass is timed
in a block of its own, its block's part in the sum included, from its beginning to the next one's. What each further
pass of a block costs less, and what a step adds, are read off steps of blocks of one pass and of two.
"""

import resource
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
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
from vfnb.runtime.settings import apply_flags, deterministic, keep_freed_memory
from vfnb.runtime.step import Halted, take_step
from vfnb.runtime.stretch import Stretch
from vfnb.runtime.troubles import MemoryShortError, is_memory
from vfnb.spec import Device, Layout, Mapping

_APART, _PAIRED = Layout(4, 4), Layout(4, 2)  # a pass a block, and two
_PLAIN = Layout(3, 3)  # the second pass is one between others
_ENOUGH, _MOST = 0.1, 40  # seconds of steps that are timed, and how many at most
_WARM, _WARM_STEPS = 0.1, 2  # seconds after which all is warm, the rehearsal among them, and steps at most
_MORE = 2  # times as long for overheads, which are small differences


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to measure.

    Attributes:
        samples: Of each pass.
        overheads: Whether to find what blocks and steps add too.
    """

    samples: int
    overheads: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Overheads:
    """What a step costs beside its passes.

    Attributes:
        block_seconds: What a pass costs more that is a block's first and last: its gradients are new, and are added
            to the step's sum.
        tally_seconds: What a block adds at a step's end.
        step_seconds: What a step adds whatever its blocks: the sum's end, the vote, the optimizer.
    """

    block_seconds: float
    tally_seconds: float
    step_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was measured.

    Attributes:
        samples: Of each pass.
        seconds: The median pass, alone in its block.
        passes: How many the median is of.
        memory_bytes: The peak.
        overheads: None where they were not asked for.
    """

    samples: int
    seconds: float
    passes: int
    memory_bytes: int
    overheads: Overheads | None = None


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
    if device.kind == "cpu":
        keep_freed_memory()
    accelerator(device)
    program: Program = unship(Path(errand.payload))
    return program, device


def _answer(program: Program, device: Device, request: Request) -> Answer:
    try:
        with deterministic():
            return _measured(program, device, request)
    except Exception as error:  # noqa: BLE001  # the user's code may raise anything
        short = isinstance(error, MemoryShortError) or is_memory(error)
        return TooLarge(samples=request.samples) if short else _told(error)


def _reduced(program: Program, layout: Layout, samples: int) -> Program:
    """Make steps of whole passes of a size, without a schedule or loaders."""
    options = replace(
        program.options, nodes_per_pass=1, drop_last=True, loader_workers=0, stop_when=None, batch_schedule=None
    )
    return replace(
        program,
        layout=layout,
        global_batch=layout.nodes * samples,
        schedule=None,
        options=options,
        nodes_per_pass=1,
    )


@dataclass(slots=True)
class _Moments:
    """When a step began, each of its passes did, all were computed, and it ended."""

    begun: float
    passes: list[float] = field(default_factory=list)
    computed: float = 0.0
    ended: float = 0.0

    @property
    def seconds(self) -> float:
        return self.ended - self.begun


def _measured(program: Program, device: Device, request: Request) -> Reading:
    if not request.overheads:
        apart, memory = _timed(_reduced(program, _PLAIN, request.samples), device)
        return _reading(request.samples, apart, memory)
    apart, memory = _timed(_reduced(program, _APART, request.samples), device, _MORE)
    paired, _ = _timed(_reduced(program, _PAIRED, request.samples), device, _MORE)
    return replace(_reading(request.samples, apart, memory), overheads=_overheads(apart, paired))


def _reading(samples: int, steps: Sequence[_Moments], memory: int) -> Reading:
    passes = [later - begun for one in steps for begun, later in pairwise(one.passes[1:])]
    return Reading(samples=samples, seconds=max(median(passes), 1e-9), passes=len(passes), memory_bytes=memory)


def _overheads(apart: Sequence[_Moments], paired: Sequence[_Moments]) -> Overheads:
    """Compare a block of one pass with one of two, and the last pass of a step with one between others."""
    one = median((step.passes[3] - step.passes[1]) / 2 for step in apart)
    two = median(step.passes[3] - step.passes[1] for step in paired)
    # The last pass is followed by no reading: where that is slow it hides what the blocks add, and the step has it.
    tally = max(median(step.computed - step.passes[3] for step in apart) - one, 0.0)
    beside = median(step.seconds for step in apart) - 4 * one
    return Overheads(
        block_seconds=min(max(2 * one - two, 0.0), one),
        tally_seconds=tally / 4,
        step_seconds=max(beside - tally, 0.0),
    )


def _timed(program: Program, device: Device, times: int = 1) -> tuple[list[_Moments], int]:
    """Take steps, and give the moments of those that were taken warm, and the peak memory."""
    replica = Replica(program, device)
    for group in replica.optimizer.param_groups:
        group["lr"] = group["lr"] * 0
    _forget_peak(replica.device)
    begun = time.perf_counter()
    rehearse(replica)
    return list(_steps(replica, times, time.perf_counter() - begun)), _peak(replica.device)


def _steps(replica: Replica, times: int, spent: float) -> Iterator[_Moments]:
    layout = replica.program.layout
    clock = _Clock(replica.device)
    mapping = Mapping(layout, ((0, tuple(range(layout.blocks))),))
    post = Post(worker=0, mapping=mapping, probe=clock, stretch=Stretch(replica.place))
    feed = Feed(replica.program, replica.device)
    warm = times - 1  # the first step makes the optimizer's state: it must not be timed where a step's end counts
    while warm > 0 or (spent < _WARM and warm > -_WARM_STEPS):
        spent += clock.step(replica, post, feed).seconds
        warm -= 1
    spent, taken = 0.0, 0
    while taken == 0 or (spent < times * _ENOUGH and taken < times * _MOST):
        step = clock.step(replica, post, feed)
        yield step
        spent, taken = spent + step.seconds, taken + 1


class _Clock:
    """A probe that keeps a step's moments; the device has finished what came before each."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._step = _Moments(0.0)

    def step(self, replica: Replica, post: Post, feed: Feed) -> _Moments:
        self._step = _Moments(self._now())
        outcome = take_step(replica, post, feed)
        self._step.ended = self._now()
        if isinstance(outcome, Halted):
            raise outcome.error or MemoryError("a step was dropped")
        return self._step

    def __call__(self, point: str, *, worker: int, step: int, detail: int = 0) -> None:
        if point == "pass":
            if detail == 0:
                self._step.passes.clear()  # a step that is computed again begins anew
            self._step.passes.append(self._now())
        elif point == "before_vote":
            self._step.computed = self._now()

    def _now(self) -> float:
        if self._device.type != "cpu":
            getattr(torch, self._device.type).synchronize()
        return time.perf_counter()


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
