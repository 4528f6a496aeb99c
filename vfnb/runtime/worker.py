"""A worker process: it loads the program, tries one pass, and then does what the driver says until it is told to leave.

One thread reads commands, so that an order or the news of a loss is known at once; one sends reports, so that a
driver that stands still stalls nobody; the main thread computes.
"""

import collections
import contextlib
import faulthandler
import os
import signal
import threading
import traceback
import warnings
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch

from vfnb.ground import TrainingError
from vfnb.runtime import messages
from vfnb.runtime.board import Board
from vfnb.runtime.evaluation import UserError
from vfnb.runtime.feed import Feed
from vfnb.runtime.group import Alone, Group, GroupError, Processes
from vfnb.runtime.loaders import LoaderProcesses
from vfnb.runtime.nursery import Errand
from vfnb.runtime.payload import unship
from vfnb.runtime.placement import accelerator
from vfnb.runtime.post import Post
from vfnb.runtime.probe import Probe
from vfnb.runtime.program import Program
from vfnb.runtime.rehearsal import opening_pass, rehearse
from vfnb.runtime.replica import Replica
from vfnb.runtime.seats import VOID
from vfnb.runtime.settings import apply_flags, deterministic, keep_freed_memory
from vfnb.runtime.snapshot import keep_checkpoint, read_state, write_state
from vfnb.runtime.stretch import Stretch
from vfnb.runtime.training import Journal, train
from vfnb.runtime.troubles import MemoryShortError, told
from vfnb.spec import Device, Event, NotGuaranteed, to_json


def main(errand: Errand, connection: Connection) -> None:
    """Work until told to leave.

    Args:
        errand: What this worker is told first.
        connection: The channel to the driver.
    """
    faulthandler.register(signal.SIGUSR1)  # whoever wants to know where a worker stands finds it in its log
    channel = _Channel(connection)
    channel.send(messages.Hello(pid=os.getpid()))
    try:
        worker = _Worker(errand, channel)
    except Exception as error:  # noqa: BLE001  # whatever stands in the way of a start is the user's to know
        channel.send(messages.Broke(error=_as_training_error(error, errand.worker)))
        channel.drain()
        return
    channel.send(messages.Ready())
    worker.run()
    channel.drain()


class _Channel:
    """Both directions of the connection, each with a thread of its own."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._outbox: collections.deque[messages.Report] = collections.deque()
        self._inbox: collections.deque[messages.Command] = collections.deque()
        self._out, self._in = threading.Condition(), threading.Condition()
        self._sending = False
        self.order = 0
        self.abandoned = 0
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._write, daemon=True).start()

    def send(self, report: messages.Report) -> None:
        with self._out:
            self._outbox.append(report)
            self._out.notify_all()

    def next(self) -> messages.Command:
        with self._in:
            self._in.wait_for(lambda: bool(self._inbox))
            return self._inbox.popleft()

    def next_order(self, up_to: int) -> messages.Order | None:
        """Take the next order, waiting for it where its number is known from others already."""
        with self._in:
            self._in.wait_for(lambda: self.order >= up_to or self.abandoned > 0)
            for command in self._inbox:
                if isinstance(command, messages.Park | messages.Write) and command.number <= up_to:
                    self._inbox.remove(command)
                    return command
        return None

    def skip_orders(self, number: int) -> None:
        """Count orders as known that were given before this worker took part."""
        with self._in:
            self.order = max(self.order, number)

    def drain(self) -> None:
        """Wait until everything is sent."""
        with self._out:
            self._out.wait_for(lambda: not self._outbox and not self._sending, timeout=5)

    def _read(self) -> None:
        while True:
            try:
                command = self._connection.recv()
            except (EOFError, OSError):
                os._exit(0)  # the driver is gone: nobody is left to work for
            with self._in:
                if isinstance(command, messages.Abandon):
                    self.abandoned = max(self.abandoned, command.generation)
                else:
                    self._inbox.append(command)
                if isinstance(command, messages.Park | messages.Write):
                    self.order = max(self.order, command.number)
                self._in.notify_all()

    def _write(self) -> None:
        while True:
            with self._out:
                self._sending = False
                self._out.notify_all()
                self._out.wait_for(lambda: bool(self._outbox))
                batch = list(self._outbox)
                self._outbox.clear()
                self._sending = True
            for report in _coalesced(batch):
                with contextlib.suppress(OSError):
                    self._connection.send(report)


class _Worker:
    """The main thread's state."""

    def __init__(self, errand: Errand, channel: _Channel) -> None:
        self._id, self._channel = errand.worker, channel
        self._run_dir = Path(errand.run_dir)
        self._slot = Board(Path(errand.private) / "board").slot(errand.worker)
        device = Device.parse(errand.device)
        apply_flags(errand.flags)
        torch.set_num_threads(device.threads)
        if device.kind == "cpu":
            keep_freed_memory()
        self._accelerator = accelerator(device)
        payload: tuple[Program, Probe] = unship(Path(errand.payload))
        program, self._probe = payload
        self._device = device
        self.replica = Replica(program, device)
        loaders = (
            LoaderProcesses(Path(errand.payload), program.options.loader_workers)
            if program.options.loader_workers
            else None
        )
        self._feed = Feed(program, self.replica.device, loaders)
        self._journal = Journal()
        self._stretch = Stretch(device, self.tell)
        self._generation = 0
        warnings.showwarning = self._warned  # type: ignore[assignment]  # the hook has this very shape
        self._rehearsed = False
        with deterministic():
            self._rehearse()

    def run(self) -> None:
        with deterministic():
            while True:
                command = self._channel.next()
                match command:
                    case messages.Form():
                        self._train(command)
                    case messages.Write():
                        if command.writer == self._id:
                            self._write(command)
                    case messages.Load(path=path):
                        self._load(path)
                    case messages.Leave():
                        return
                    case messages.Park() | messages.Abandon():
                        pass  # came too late: this worker stands still already

    def _train(self, form: messages.Form) -> None:
        self._generation = form.generation
        self._feed.forget()
        self._channel.skip_orders(form.order)
        report: messages.Report
        try:
            report = self._train_in(form)
        except GroupError:
            report = messages.Stranded(generation=form.generation, step=self.replica.step)
        except UserError as error:
            self._channel.send(messages.Broke(error=TrainingError(str(error), step=self.replica.step)))
            report = messages.Parked(generation=form.generation, step=self.replica.step, reason="failed")
        except Exception as error:  # noqa: BLE001  # what the user's optimizer or callback raises ends the run
            self._channel.send(messages.Broke(error=_as_training_error(error, self._id)))
            report = messages.Stranded(generation=form.generation, step=self._usable_step(error))
        self._slot.mark("idle", step=self.replica.step)
        self._journal.base = 0.0
        self._channel.send(report)

    def _rehearse(self) -> bool:
        """Try one pass, once; where it does not fit say so, and try again before training."""
        if self._rehearsed:
            return True
        try:
            rehearse(self.replica)
        except Exception as error:
            samples = len(opening_pass(self.replica.program).positions)
            trouble = told(error, self.replica, self._id, step=1, node=0, samples=samples)
            if not isinstance(trouble, MemoryShortError):
                raise
            self.tell(trouble.event)
            return False
        self._rehearsed = True
        return True

    def _usable_step(self, error: Exception) -> int:
        # An exception between the sum and the end of the update may have left it half done.
        told = isinstance(error, TrainingError)
        return self.replica.step if told else VOID

    def _post(self, form: messages.Form) -> Post:
        members = form.mapping.workers

        def abandoned() -> bool:
            return self._channel.abandoned >= form.generation

        self._probe("regrouping", worker=self._id, step=self.replica.step)
        group: Group = Alone()
        if len(members) > 1:
            group = Processes(
                Path(form.store),
                members.index(self._id),
                len(members),
                nccl=form.nccl,
                patience=form.patience,
                abandoned=abandoned,
            )
        return Post(
            worker=self._id,
            mapping=form.mapping,
            group=group,
            slot=self._slot,
            probe=self._probe,
            stretch=self._stretch,
            orders=lambda: max(self._channel.order, form.order),
            abandoned=abandoned,
            generation=form.generation,
        )

    def _train_in(self, form: messages.Form) -> messages.Parked:
        if not self._rehearse():
            return messages.Parked(generation=form.generation, step=self.replica.step, reason="memory")
        post = self._post(form)
        self._channel.send(messages.Formed(generation=post.generation))
        reason = train(self.replica, post, self._feed, self, self._journal, self._run_dir)
        return messages.Parked(generation=post.generation, step=self.replica.step, reason=reason)

    # -- the desk of a training worker

    def publish(self, record: messages.Record) -> None:
        """Write a step's row to the run's folder and send its record.

        Args:
            record: The record.
        """
        with contextlib.suppress(OSError), (self._run_dir / "steps.jsonl").open("a") as file:
            file.write(to_json(record.row) + "\n")
        self._channel.send(messages.Committed(generation=self._generation, records=(record,)))

    def tell(self, event: Event) -> None:
        """Send an event that belongs to no committed step.

        Args:
            event: The event.
        """
        self._channel.send(messages.Happened(event=event))

    def obey(self, replica: Replica, order: int) -> bool:
        """Carry out the orders up to a number.

        Args:
            replica: At a boundary.
            order: The newest that any worker knew.

        Returns:
            Whether to park.
        """
        parks = False
        while (command := self._channel.next_order(order)) is not None:
            if isinstance(command, messages.Park):
                parks = True
            elif command.writer == self._id:
                self._write(command)
        return parks

    def _write(self, command: messages.Write) -> None:
        self._probe("handover", worker=self._id, step=self.replica.step)
        state, path, error = self.replica.capture(), Path(command.path), None
        try:
            if command.checkpoint:
                path = keep_checkpoint(path, state, self.replica.program.identity, self.replica.program.options.keep)
            else:
                write_state(path, state)
        except OSError as problem:
            error = str(problem)
        self._channel.send(messages.Wrote(number=command.number, step=self.replica.step, path=str(path), error=error))

    def _load(self, path: str) -> None:
        self._probe("handover", worker=self._id, step=self.replica.step)
        try:
            self.replica.load(read_state(Path(path)))
            self._rehearsed = True  # what a rehearsal would find out is part of the state
        except Exception as error:  # noqa: BLE001  # half a state is none
            self._channel.send(messages.Broke(error=_as_training_error(error, self._id)))
            return
        self._channel.send(messages.Loaded(step=self.replica.step))

    def _warned(self, message: Warning | str, category: type[Warning], filename: str, lineno: int, *rest: Any) -> None:
        text = str(message)
        if "does not have a deterministic implementation" in text:
            self.tell(NotGuaranteed(step=self.replica.step, what=text.split(" does not", maxsplit=1)[0], reason=text))
        print(warnings.formatwarning(message, category, filename, lineno), flush=True)  # noqa: T201  # this is its log


def _coalesced(batch: list[messages.Report]) -> list[messages.Report]:
    """Join neighbouring records into one message; nothing is dropped."""
    joined: list[messages.Report] = []
    for report in batch:
        last = joined[-1] if joined else None
        if (
            isinstance(report, messages.Committed)
            and isinstance(last, messages.Committed)
            and last.generation == report.generation
        ):
            joined[-1] = messages.Committed(generation=report.generation, records=last.records + report.records)
        else:
            joined.append(report)
    return joined


def _as_training_error(error: Exception, worker: int) -> TrainingError:
    if isinstance(error, TrainingError):
        return error
    return TrainingError(
        f"worker {worker} raised {type(error).__name__}: {error}",
        worker=worker,
        traceback="".join(traceback.format_exception(error)),
    )
