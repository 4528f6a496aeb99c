"""What the driver decides, from reports and requests to the next commands, with no process in sight.

`reconcile` is called after every change and compares how things are with how they should be. There is no script
for a resize, a loss or a pause: workers that train are parked when something must change; once all stand still,
whoever lacks the newest state gets it, whoever is not needed leaves, and the rest forms the next generation. A
loss at any moment only changes what the next comparison sees.
"""

from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal, Protocol

from vfnb.ground import PlanError, SpecError, TrainingError, WorkerLostError
from vfnb.runtime import messages
from vfnb.runtime.changes import Change, Transition, devices_of, settle
from vfnb.runtime.engine import Launch, Sink, State, Status, Worker
from vfnb.runtime.seats import VOID, Handover, Phase, Seat, Wish, newest
from vfnb.runtime.snapshot import State as Snapshot
from vfnb.runtime.snapshot import newest_checkpoint, read_state
from vfnb.spec import (
    CheckpointFailed,
    CheckpointSaved,
    Device,
    Event,
    Failed,
    Finished,
    OutOfMemory,
    Paused,
    Recovered,
    Resized,
    Resumed,
    Stopped,
    Warned,
    WorkerJoined,
    WorkerLost,
)

_PATIENCE = 5.0  # seconds to form a group; doubled with each failure in a row, as a loaded machine may need
_NOT_ASKED = 0


class Actions(Protocol):
    """What the conductor can do to the world."""

    def start(self, worker: int, device: Device) -> None:
        """Start a worker's process."""
        ...

    def send(self, worker: int, command: messages.Command) -> None:
        """Send a command; a dead worker's loss is noticed elsewhere."""
        ...

    def kill(self, worker: int) -> None:
        """End a worker's process at once."""
        ...

    def now(self) -> float:
        """Give the machine's monotonic seconds, which workers read too."""
        ...


class Conductor:
    """The state of a run as the driver sees it.

    Args:
        launch: How the run begins.
        private: A folder for group files and handed-over states.
        actions: What can be done.
        sink: Where rows, events and the status go.
        nccl: Whether these devices can sum over nccl.
    """

    def __init__(
        self,
        launch: Launch,
        private: Path,
        actions: Actions,
        sink: Sink,
        nccl: Callable[[Iterable[Device]], bool],
    ) -> None:
        self._launch, self._private, self._do, self._sink, self._nccl = launch, private, actions, sink, nccl
        self.seats: dict[int, Seat] = {}
        self._mapping = launch.mapping
        self._want: Literal["train", "pause", "end"] = "pause" if launch.paused else "train"
        self._outcome: Literal["done", "stopped", "failed"] = "stopped"
        self._failure: BaseException | None = None
        self._changes: deque[Change] = deque()
        self._wishes: list[Wish] = []
        self._transitions: list[Transition] = []
        self._handover: Handover | None = None
        self._generation = self._orders = self._failed_forms = 0
        self._parking = self._broken = self._trained = self._paused = self._closing = False
        self._step = self._restarted_at = VOID
        self._last_commit = actions.now()
        self._status: Status | None = None
        self.final: Snapshot | None = None
        self.over = False

    # -- the beginning

    def begin(self, resumed: int) -> None:
        """Start the first workers.

        Args:
            resumed: The step of the checkpoint to go on from; 0 without one.
        """
        self._step = resumed
        if self._launch.resume is not None:
            self._handover = Handover(step=resumed, path=self._launch.resume / "state.pt")
        for worker, device in zip(self._mapping.workers, self._launch.devices, strict=True):
            self._seat(worker, device)
        self._next_id = max(self._mapping.workers) + 1
        self.reconcile()

    def _seat(self, worker: int, device: Device) -> None:
        self.seats[worker] = Seat(id=worker, device=device)
        self._do.start(worker, device)

    # -- what the user asks

    def pause(self) -> None:
        """Hold at the next boundary."""
        if self._want == "train":
            self._want = "pause"

    def resume(self) -> None:
        """Go on after a pause."""
        if self._want == "pause":
            self._want = "train"
            if self._paused:
                self._paused = False
                self._tell(Resumed(step=self._step))

    def stop(self) -> None:
        """End at the next boundary; asked again, drop the step at hand."""
        if self._want == "end":
            self._abandon()
            return
        self._want = "end"

    def change(self, change: Change) -> None:
        """Queue a resize or a remap.

        Args:
            change: The change.
        """
        if self.over or self._want == "end":
            settle(change.answer)
            return
        if self._changes:
            self._tell(Warned(step=self._step, message="a resize is under way; the next one follows it"))
        self._changes.append(change)

    def wish(self, wish: Wish) -> None:
        """Have a state written at the next boundary.

        Args:
            wish: What for.
        """
        self._wishes.append(wish)

    def wish_checkpoint(self) -> None:
        """Have a checkpoint written at the next boundary, if the run trains and none is under way."""
        if self._trained and not any(wish.checkpoint for wish in self._wishes):
            self._wishes.append(Wish(checkpoint=True))

    # -- what workers report

    def hear(self, worker: int, report: messages.Report) -> None:  # noqa: C901, PLR0912  # a case a report
        """Take in a worker's report.

        Args:
            worker: Its id.
            report: The report.
        """
        seat = self.seats[worker]
        match report:
            case messages.Hello(pid=pid):
                seat.pid = pid
            case messages.Ready():
                seat.phase = "idle"
                self._tell(WorkerJoined(step=self._step, worker=worker, pid=seat.pid, device=str(seat.device)))
            case messages.Formed():
                seat.phase, self._trained, self._failed_forms = "training", True, 0
            case messages.Committed(records=records):
                self._committed(records)
            case messages.Happened(event=event):
                self._tell(event)
                if isinstance(event, OutOfMemory) and not self._cancel_joined_by(worker, event.message):
                    self.pause()
            case messages.Parked(step=step, reason=reason):
                seat.phase, seat.step = "idle", step
                self._parked(reason)
            case messages.Stranded(step=step, generation=generation):
                self._failed_forms += seat.phase == "forming"
                seat.phase, seat.step = "idle", step
                self._broken = self._broken or generation == self._generation
            case messages.Wrote():
                self._wrote(seat, report)
            case messages.Loaded(step=step):
                seat.phase, seat.step = "idle", step
            case messages.Broke(error=error):
                self._broke(seat, error)

    def lost(self, worker: int, reason: str) -> None:
        """Take in that a worker is gone.

        Args:
            worker: Its id.
            reason: Why, in words.
        """
        seat = self.seats.pop(worker)
        if seat.phase == "leaving":
            return
        self._tell(WorkerLost(step=self._step, worker=worker, device=str(seat.device), reason=reason))
        self._cancel_joined_by(worker, f"the new worker on {seat.device} is gone ({reason})")
        if worker not in self._mapping.workers:
            return
        if seat.phase in ("training", "forming") or any(one.phase == "forming" for one in self.seats.values()):
            self._broken = True
            self._abandon()
        self._remap_without(seat)

    def _remap_without(self, seat: Seat) -> None:
        present = self._present() | {seat.id: seat.device}
        before = devices_of(self._mapping.workers, present)
        if len(self._mapping.workers) == 1:
            if self._want != "end":
                self._restart(seat)
            return
        self._mapping = self._launch.policy.remap(self._mapping, [seat.id])
        after = devices_of(self._mapping.workers, present)
        self._transitions.append(Transition(before=before, after=after, since=self._last_commit, answer=None))

    def _restart(self, seat: Seat) -> None:
        folder = newest_checkpoint(self._launch.run_dir) or self._launch.resume
        step = _step_of(folder)
        if self._restarted_at == self._step:
            self._fail(_nobody_left(self._step, folder))
            return
        self._restarted_at = self._step
        self._tell(Warned(step=self._step, message=f"no worker was left; going on from step {step} with a new one"))
        self._handover = None if folder is None else Handover(step=step, path=folder / "state.pt")
        self._step = self._restarted_at = step
        worker = self._next_id
        self._next_id += 1
        before = (str(seat.device),)
        self._mapping = self._launch.policy.spread(self._mapping, [worker])
        self._transitions.append(Transition(before=before, after=before, since=self._last_commit, answer=None))
        self._seat(worker, seat.device)

    def _committed(self, records: tuple[messages.Record, ...]) -> None:
        for record in records:
            if record.row.step <= self._step:
                continue  # sent again by the next reporter, in case the last one died with it
            self._step = record.row.step
            for event in record.events:
                self._tell(event)
            self._sink(record.row)
            self._arrived(record.when)
            self._last_commit = record.when

    def _arrived(self, when: float) -> None:
        for one in self._transitions:
            downtime = max(0.0, when - one.since)
            if one.answer is None:
                self._tell(Recovered(step=self._step, before=one.before, after=one.after, downtime=downtime))
            else:
                resized = Resized(step=self._step, before=one.before, after=one.after, downtime=downtime)
                self._tell(resized)
                settle(one.answer, resized)
        self._transitions.clear()

    def _parked(self, reason: messages.Reason) -> None:
        match reason:
            case "finished":
                self._want, self._outcome = "end", "done"
            case "stop_when":
                self._want = "end"
            case "memory":
                self._want = "pause" if self._want == "train" else self._want
            case "ordered" | "failed":
                pass

    def _broke(self, seat: Seat, error: TrainingError) -> None:
        if seat.phase == "starting" and self._cancel_joined_by(seat.id, str(error)):
            return
        if seat.phase == "starting":
            seat.phase, seat.step = "idle", VOID
        self._fail(error)

    def _fail(self, error: BaseException) -> None:
        self._failure = self._failure or error
        self._want, self._outcome = "end", "failed"

    def _wrote(self, seat: Seat, report: messages.Wrote) -> None:
        if seat.phase == "busy":
            seat.phase = "idle"
        if report.number == _NOT_ASKED:
            if report.error is None:
                self._handover = Handover(step=report.step, path=Path(report.path))
            else:
                self._fail(WorkerLostError(f"the state could not be handed over: {report.error}"))
            return
        for wish in [wish for wish in self._wishes if wish.number == report.number]:
            self._wishes.remove(wish)
            self._fulfil(wish, report)

    def _fulfil(self, wish: Wish, report: messages.Wrote) -> None:
        if report.error is not None:
            if wish.checkpoint:
                self._tell(CheckpointFailed(step=report.step, path=report.path, error=report.error))
            settle(wish.answer, error=OSError(report.error))
        elif wish.checkpoint:
            self._tell(CheckpointSaved(step=report.step, path=report.path))
            self._handover = Handover(step=report.step, path=Path(report.path) / "state.pt")
            settle(wish.answer, Path(report.path))
        else:
            settle(wish.answer, read_state(Path(report.path)))
            Path(report.path).unlink(missing_ok=True)

    # -- comparing how things are with how they should be

    def reconcile(self) -> None:
        """Give the commands that bring the run nearer to how it should be."""
        if self.over:
            return
        self._begin_change()
        phases = {seat.phase for seat in self.seats.values() if seat.id in self._mapping.workers}
        if phases & {"training", "forming"}:
            self._while_moving(phases)
        elif self._want == "end" and phases & {"starting"}:
            self._end()
        elif not phases & {"starting", "busy"} and not self._busy():
            self._while_still()
        self._report()

    def _busy(self) -> bool:
        return any(seat.phase == "busy" for seat in self.seats.values())

    def _while_moving(self, phases: set[Phase]) -> None:
        if self._broken or phases != {"training"} or self._parking:
            return
        if self._want != "train" or self._ripe():
            self._parking = True
            self._order(messages.Park)
            return
        for wish in self._wishes:
            if wish.number == _NOT_ASKED:
                self._ask(wish, min(self._mapping.workers))

    def _while_still(self) -> None:
        self._parking = self._broken = False
        if self._want != "train" and self._trained and not self._paused and not self._closing:
            self._wishes.append(Wish(checkpoint=True))
        self._closing = self._closing or self._want == "end"
        if self._want == "pause" and not self._paused:
            self._paused = True
            self._tell(Paused(step=self._newest()))
        self._trained = False
        if self._grant_wish():
            return
        if self._want == "end":
            if self._take_final():
                self._end()
            return
        if self._ripe():
            self._apply_change()
        if self._share_state():
            self._go_on()

    def _grant_wish(self) -> bool:
        source = self._source()
        if not self._wishes or source is None:
            return False
        wish = self._wishes[0]
        source.phase = "busy"
        self._ask(wish, source.id)
        return True

    def _take_final(self) -> bool:
        """Have the last state in the kernel before the workers go; True once it is there, or none is left."""
        step = self._newest()
        if self._handover is None or self._handover.step != step:
            return step == VOID or not self._hand_over(step)
        self._step = step
        self.final = read_state(self._handover.path)
        return True

    def _hand_over(self, step: int) -> bool:
        source = self._source()
        if source is None:
            return False
        source.phase = "busy"
        path = self._private / f"handover-{self._generation}-{step}.pt"
        write = messages.Write(number=_NOT_ASKED, writer=source.id, path=str(path), checkpoint=False)
        self._do.send(source.id, write)
        return True

    def _ask(self, wish: Wish, writer: int) -> None:
        path = self._launch.run_dir if wish.checkpoint else self._private / f"state-{self._orders + 1}.pt"
        wish.number = self._order(messages.Write, writer=writer, path=str(path), checkpoint=wish.checkpoint)

    def _order(self, kind: type[messages.Park] | type[messages.Write], **what: object) -> int:
        self._orders += 1
        for worker, seat in self.seats.items():
            if seat.phase == "training" or worker == what.get("writer"):
                self._do.send(worker, kind(number=self._orders, **what))  # type: ignore[arg-type]  # checked at both calls
        return self._orders

    def _newest(self) -> int:
        return newest(self.seats.values(), self._handover)

    def _source(self) -> Seat | None:
        step = self._newest()
        able = [seat for seat in self.seats.values() if seat.phase == "idle" and seat.step == step > VOID]
        able.sort(key=lambda seat: (seat.id not in self._mapping.workers, seat.id))
        return able[0] if able else None

    def _share_state(self) -> bool:
        """Bring every member to the newest state; True once all have it."""
        step = self._newest()
        lacking = [seat for seat in self._members() if seat.step != step]
        if lacking and (self._handover is None or self._handover.step != step):
            self._hand_over(step)
            return False
        for seat in lacking:
            assert self._handover is not None, "shared from a file"
            seat.phase = "busy"
            self._do.send(seat.id, messages.Load(path=str(self._handover.path)))
        return not lacking

    def _go_on(self) -> None:
        members = self._members()
        for seat in self.seats.values():
            if seat not in members and seat.phase == "idle" and not self._joining(seat.id):
                seat.phase = "leaving"
                self._do.send(seat.id, messages.Leave())
        if self._want == "pause":
            self._arrived(self._do.now())
            return
        self._generation += 1
        form = messages.Form(
            generation=self._generation,
            mapping=self._mapping,
            store=str(self._private / f"group-{self._generation}"),
            nccl=self._nccl(seat.device for seat in members),
            patience=min(_PATIENCE * 2**self._failed_forms, 120.0),
            order=self._orders,
        )
        for seat in members:
            seat.phase = "forming"
            self._do.send(seat.id, form)

    def _members(self) -> list[Seat]:
        return [self.seats[worker] for worker in self._mapping.workers]

    def _present(self) -> dict[int, Device]:
        return {worker: seat.device for worker, seat in self.seats.items()}

    def _abandon(self) -> None:
        for worker, seat in self.seats.items():
            if seat.phase in ("training", "forming"):
                self._do.send(worker, messages.Abandon(generation=self._generation))

    # -- changes

    def _member_devices(self) -> dict[int, Device]:
        return {seat.id: seat.device for seat in self._members()}

    def _begin_change(self) -> None:
        if not self._changes or self._changes[0].begun or self._want == "end":
            return
        change = self._changes[0]
        change.begun = True
        for device in change.newcomers(self._member_devices()):
            change.joiners.append(self._next_id)
            self._seat(self._next_id, device)
            self._next_id += 1

    def _ripe(self) -> bool:
        return bool(self._changes) and all(self.seats[one].phase == "idle" for one in self._changes[0].joiners)

    def _joining(self, worker: int) -> bool:
        return any(worker in change.joiners for change in self._changes)

    def _apply_change(self) -> None:
        change = self._changes.popleft()
        present = self._present()
        try:
            mapping = change.mapping(self._mapping, self._member_devices(), self._launch.policy)
        except (PlanError, SpecError) as error:
            settle(change.answer, error=error)
            return
        before, after = devices_of(self._mapping.workers, present), devices_of(mapping.workers, present)
        since = self._do.now() if self._want == "pause" else self._last_commit
        self._transitions.append(Transition(before=before, after=after, since=since, answer=change.answer))
        self._mapping = mapping

    def _cancel_joined_by(self, worker: int, why: str) -> bool:
        for change in [change for change in self._changes if worker in change.joiners]:
            self._changes.remove(change)
            for joiner in change.joiners:
                if joiner in self.seats:
                    self.seats[joiner].phase = "leaving"
                    self._do.kill(joiner)
            settle(change.answer, error=PlanError(f"the resize was cancelled: {why}; the job goes on as before"))
            return True
        return False

    # -- the end and the news

    def _end(self) -> None:
        self.over = True
        for change in self._changes:
            settle(change.answer)
        for one in self._transitions:
            if one.answer is not None:
                settle(one.answer)
        for worker, seat in self.seats.items():
            seat.phase = "leaving"
            self._do.send(worker, messages.Leave())

    def abandon_wishes(self, answer: Callable[[Wish], None]) -> None:
        """Have what is still wished for answered after the end.

        Args:
            answer: Does it.
        """
        for wish in self._wishes:
            answer(wish)
        self._wishes.clear()

    def close(self) -> None:
        """Say how the run ended, once the workers are gone."""
        step = self._step
        match self._outcome:
            case "done":
                self._tell(Finished(step=step))
            case "stopped":
                self._tell(Stopped(step=step))
            case "failed":
                self._tell(Failed(step=step, error=str(self._failure)))
        self._sink(Status(state=self._outcome, step=step, failure=self._failure))

    def _tell(self, event: Event) -> None:
        self._sink(event)

    def _report(self) -> None:
        counts = self._mapping.counts
        workers = tuple(
            Worker(id=seat.id, pid=seat.pid, device=seat.device, virtual_nodes=counts.get(seat.id, 0))
            for seat in sorted(self.seats.values(), key=lambda seat: seat.id)
            if seat.phase not in ("starting", "leaving") and seat.id in counts
        )
        status = Status(state=self._state(), step=self._step, workers=workers, mapping=self._mapping)
        if status != self._status:
            self._status = status
            self._sink(status)

    def _state(self) -> State:
        if self._changes or any(one.answer is not None for one in self._transitions):
            return "resizing"
        if self._transitions:
            return "recovering"
        if self._paused and self._want == "pause":
            return "paused"
        return "starting" if self._generation == 0 else "running"


def _step_of(folder: Path | None) -> int:
    return 0 if folder is None else int(read_state(folder / "state.pt")["step"])


def _nobody_left(step: int, folder: Path | None) -> WorkerLostError:
    remedy = (
        "no checkpoint was written yet: start the job again"
        if folder is None
        else f'its last checkpoint is {folder}: vfnb.Job.load("{folder}", task) goes on from it'
    )
    return WorkerLostError(f"no worker is left after step {step}, twice at the same step; {remedy}")
