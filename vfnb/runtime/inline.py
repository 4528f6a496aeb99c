"""The inline engine, the specification: the step's own code in the calling thread, on one device; debug in it.

It is a run like any other, over by the time `start` returns. Process-wide flags, thread count and generators
come back as the user had them.
"""

import contextlib
import os
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import torch

from vfnb.ground import StateError, TrainingError
from vfnb.numerics import restored_generators
from vfnb.runtime.board import Sign
from vfnb.runtime.changes import Answer
from vfnb.runtime.engine import Launch, Run, Sink, Snapshot, Status, Worker, unheard
from vfnb.runtime.evaluation import UserError
from vfnb.runtime.feed import Feed
from vfnb.runtime.messages import Reason, Record
from vfnb.runtime.placement import torch_device
from vfnb.runtime.post import Post
from vfnb.runtime.program import Program, private_copy
from vfnb.runtime.rehearsal import rehearse
from vfnb.runtime.replica import Replica
from vfnb.runtime.settings import deterministic, give_back_freed_memory, threads
from vfnb.runtime.snapshot import keep_checkpoint
from vfnb.runtime.stretch import Stretch
from vfnb.runtime.training import Journal, train
from vfnb.spec import (
    CheckpointFailed,
    CheckpointSaved,
    Device,
    Event,
    Failed,
    Finished,
    Mapping,
    Stopped,
    WorkerJoined,
    to_json,
)


class InlineEngine:
    """Trains inside `start`."""

    def start(self, program: Program, launch: Launch, sink: Sink) -> Run:
        """Train a program to its end.

        Args:
            program: What to train.
            launch: On one device.
            sink: Where news go, from this thread.

        Returns:
            The run, over.

        Raises:
            StateError: If the caller stands in an autocast of their own.
        """
        if torch.is_autocast_enabled(torch_device(launch.devices[0]).type):
            raise StateError(
                "start() with engine='inline' stands inside torch.autocast, which would change what is computed; "
                "call it outside, and say Options(precision='bf16') for a run in low precision"
            )
        run = InlineRun(program, launch, sink)
        run.train()
        return run


class InlineRun:
    """A run in the calling thread; the desk of its one worker.

    Args:
        program: What to train; its model stays as it is.
        launch: On one device.
        sink: Where news go.
    """

    def __init__(self, program: Program, launch: Launch, sink: Sink) -> None:
        self._launch, self._sink = launch, sink
        self._program = private_copy(program)
        self._replica: Replica | None = None
        self._stopped = False
        self._saved_at = time.monotonic()

    def train(self) -> None:
        """Train to the end; a failure is told as the run's status."""
        give_back_freed_memory()  # of runs before
        threads_ = self._launch.devices[0].threads
        failure: BaseException | None = None
        reason: Reason = "failed"
        with threads(threads_), deterministic(), restored_generators():
            try:
                reason = self._train()
            except TrainingError as error:
                failure = error
            except UserError as error:
                failure = TrainingError(str(error))
            except KeyboardInterrupt:
                reason = "ordered"
        self._end(reason, failure)

    def _train(self) -> Reason:
        device = self._launch.devices[0]
        replica = self._replica = Replica(self._program, device)
        rehearse(replica)
        if self._launch.resume is not None:
            replica.load(self._launch.resume.state)
        self._sink(WorkerJoined(step=replica.step, worker=0, pid=os.getpid(), device=str(device)))
        self._tell_status(replica.step)
        mapping = self._launch.mapping
        post = Post(worker=mapping.workers[0], mapping=mapping, stretch=Stretch(device, self.tell))
        feed = Feed(self._program, replica.device)
        journal = Journal(base=time.monotonic())
        return train(replica, post, feed, self, journal, self._launch.run_dir)

    def _end(self, reason: Reason, failure: BaseException | None) -> None:
        step = 0 if self._replica is None else self._replica.step
        if self._replica is not None and step:
            self._checkpoint()
        if failure is not None:
            self._sink(Failed(step=step, error=str(failure)))
            self._sink(Status(state="failed", step=step, failure=failure))
        elif reason == "finished":
            self._sink(Finished(step=step))
            self._sink(Status(state="done", step=step))
        else:
            self._sink(Stopped(step=step))
            self._sink(Status(state="stopped", step=step))
        self._sink = unheard  # who listened may hold the run, and would be held by it for ever

    def _checkpoint(self) -> Path | None:
        assert self._replica is not None, "there is something to save"
        self._saved_at = time.monotonic()
        run_dir, replica = self._launch.run_dir, self._replica
        try:
            path = keep_checkpoint(run_dir, replica.capture(), self._program.identity, self._program.options.keep)
        except OSError as error:
            self._sink(CheckpointFailed(step=replica.step, path=str(run_dir), error=str(error)))
            return None
        self._sink(CheckpointSaved(step=replica.step, path=str(path)))
        return path

    # -- the desk

    def publish(self, record: Record) -> None:
        """Write a step's row to the run's folder and pass its record on.

        Args:
            record: The record.
        """
        with contextlib.suppress(OSError), (self._launch.run_dir / "steps.jsonl").open("a") as file:
            file.write(to_json(record.row) + "\n")
        for event in record.events:
            self._sink(event)
        self._sink(record.row)
        mapping, step = self._launch.mapping, record.row.step
        if mapping.layout.at(step) != mapping.layout.at(step + 1):
            self._tell_status(step)

    def _tell_status(self, step: int) -> None:
        mapping, device = self._launch.mapping.at(step + 1), self._launch.devices[0]
        worker = Worker(id=0, pid=os.getpid(), device=device, virtual_nodes=mapping.layout.nodes)
        self._sink(Status(state="running", step=step, workers=(worker,), mapping=mapping))

    def tell(self, event: Event) -> None:
        """Pass an event on.

        Args:
            event: The event.
        """
        self._sink(event)

    def obey(self, replica: Replica, order: int) -> bool:
        """Save where it is time, and see whether to stop.

        Args:
            replica: At a boundary.
            order: Not used here.

        Returns:
            Whether the run was told to stop.
        """
        every = self._program.options.checkpoint_every
        if every is not None and time.monotonic() - self._saved_at >= every:
            self._checkpoint()
        return self._stopped

    # -- the run's verbs

    def pause(self) -> None:
        """Refuse: nobody could resume.

        Raises:
            StateError: Always.
        """
        raise StateError('engine="inline" trains inside start() and cannot pause; use engine="local"')

    def resume(self) -> None:
        """Refuse: it never pauses.

        Raises:
            StateError: Always.
        """
        raise StateError('engine="inline" trains inside start() and never pauses; use engine="local"')

    def stop(self) -> None:
        """End at the next step boundary; for a callback, or another thread."""
        self._stopped = True

    def resize(self, devices: tuple[Device, ...]) -> Answer:
        """Refuse: there is one device.

        Args:
            devices: Not used.

        Returns:
            Never.

        Raises:
            StateError: Always.
        """
        raise StateError('engine="inline" trains on one device and cannot be resized; use engine="local"')

    def remap(self, propose: Callable[[Mapping], Mapping]) -> Answer:
        """Refuse: there is one worker.

        Args:
            propose: Not used.

        Returns:
            Never.

        Raises:
            StateError: Always.
        """
        raise StateError('engine="inline" has one worker and no other mapping; use engine="local"')

    def save(self) -> "Future[Path]":
        """Write a checkpoint now.

        Returns:
            Its folder.
        """
        answer: Future[Path] = Future()
        path = self._checkpoint()
        if path is None:
            answer.set_exception(OSError("the checkpoint could not be written; see the run's events"))
        else:
            answer.set_result(path)
        return answer

    def snapshot(self) -> "Future[Snapshot]":
        """Give the state.

        Returns:
            The state as last committed.
        """
        answer: Future[Any] = Future()
        if self._replica is None:
            answer.set_exception(StateError("the run has no state yet"))
        else:
            answer.set_result(self._replica.capture())
        return answer

    def activity(self) -> dict[int, Sign]:
        """Tell nothing: the run is over when `start` returns.

        Returns:
            Nothing.
        """
        return {}

    def join(self, timeout: float | None = None) -> bool:
        """Do nothing: the run is over when `start` returns.

        Args:
            timeout: Not used.

        Returns:
            True.
        """
        return True
