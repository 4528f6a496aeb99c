"""What happens to a run as the driver sees it: what users ask, what workers report, who is lost. No process in sight.

Each of these changes what is known (known.py). `reconcile` is called after every change, has what is next decided
(decisions.py) and done (deeds.py), until there is only something to wait for.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from vfnb.ground import PlanError, TrainingError, WorkerLostError
from vfnb.runtime import messages
from vfnb.runtime.changes import Change, Transition, devices_of, settle
from vfnb.runtime.decisions import NOT_ASKED, decide
from vfnb.runtime.deeds import Actions, Deeds
from vfnb.runtime.engine import Launch, Sink, Snapshot, Status, unheard
from vfnb.runtime.known import Known
from vfnb.runtime.seats import VOID, Handover, Seat, Wish
from vfnb.runtime.snapshot import newest_checkpoint, read_state, state_file
from vfnb.spec import (
    CheckpointFailed,
    CheckpointSaved,
    Device,
    Event,
    Failed,
    Finished,
    Mapping,
    OutOfMemory,
    Resumed,
    Stopped,
    Warned,
    WorkerJoined,
    WorkerLost,
)

_Moved = messages.Hello | messages.Ready | messages.Formed | messages.Parked | messages.Stranded | messages.Loaded

_MOST_FORMS = 20  # groups in a row that do not come about: by then it is no worker's loss


class Conductor:
    """Takes in what happens, and has done what follows from it.

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
        self._launch, self._sink = launch, sink
        self._known = Known(
            launch=launch,
            private=private,
            nccl=nccl,
            mapping=launch.mapping,
            want="pause" if launch.paused else "train",
            last_commit=actions.now(),
        )
        self._deeds = Deeds(self._known, actions, sink)
        self._status: Status | None = None

    @property
    def over(self) -> bool:
        """Whether the workers have been told to leave for good."""
        return self._known.over

    @property
    def final(self) -> Snapshot | None:
        """The last state, once the run is over; None where no worker was left to give it."""
        return self._known.final

    # -- the beginning

    def begin(self) -> None:
        """Start the first workers."""
        resume = self._launch.resume
        self._known.step = 0 if resume is None else resume.step
        self._known.handover = None if resume is None else Handover(step=resume.step, path=state_file(resume.folder))
        for device in self._launch.devices:
            self._deeds.seat(device)
        self.reconcile()

    # -- what the user asks

    def pause(self) -> None:
        """Hold at the next boundary."""
        if self._known.want == "train":
            self._known.want = "pause"

    def resume(self) -> None:
        """Go on after a pause."""
        if self._known.want != "pause":
            return
        self._known.want = "train"
        if self._known.paused:
            self._known.paused = False
            self._tell(Resumed(step=self._known.step))

    def stop(self) -> None:
        """End at the next boundary; asked again, drop the step at hand."""
        if self._known.want == "end":
            self._deeds.abandon()
        self._known.want = "end"

    def change(self, change: Change) -> None:
        """Queue a resize or a remap.

        Args:
            change: The change.
        """
        if self._known.over or self._known.want == "end":
            settle(change.answer)
            return
        if self._known.changes:
            self._tell(Warned(step=self._known.step, message="a resize is under way; the next one follows it"))
        self._known.changes.append(change)

    def wish(self, wish: Wish) -> None:
        """Have a state written at the next boundary.

        Args:
            wish: What for.
        """
        self._known.wishes.append(wish)

    def wish_checkpoint(self) -> None:
        """Have a checkpoint written at the next boundary, if workers train and none is under way.

        Not while they stand still: wishes go before changes and the end, which frequent ones would put off for ever.
        """
        known = self._known
        if known.trained and known.in_phase("training") and not any(wish.checkpoint for wish in known.wishes):
            known.wishes.append(Wish(checkpoint=True))

    # -- what workers report

    def hear(self, worker: int, report: messages.Report) -> None:
        """Take in a worker's report.

        Args:
            worker: Its id.
            report: The report.
        """
        seat = self._known.seats[worker]
        match report:
            case messages.Committed(records=records):
                self._committed(records)
            case messages.Happened(event=event):
                self._tell(event)
                if isinstance(event, OutOfMemory) and not self._cancel_joined_by(worker, event.message):
                    self.pause()
            case messages.Wrote():
                self._wrote(seat, report)
            case messages.Broke(error=error):
                self._broke(seat, error)
            case _:
                self._moved(seat, report)

    def _moved(self, seat: Seat, report: _Moved) -> None:
        known = self._known
        match report:
            case messages.Hello(pid=pid):
                seat.pid = pid
            case messages.Ready():
                seat.phase = "idle"
                self._tell(WorkerJoined(step=known.step, worker=seat.id, pid=seat.pid, device=str(seat.device)))
            case messages.Formed():
                seat.phase, known.trained, known.failed_forms = "training", True, 0
            case messages.Parked(step=step, reason=reason):
                seat.phase, seat.step = "idle", step
                self._parked(reason)
            case messages.Stranded(step=step, generation=generation):
                known.failed_forms += seat.phase == "forming"
                seat.phase, seat.step = "idle", step
                known.broken = known.broken or generation == known.generation
                if known.failed_forms > _MOST_FORMS * len(known.mapping.workers):
                    self._fail(_never_met(known))
            case messages.Loaded(step=step):
                seat.phase, seat.step = "idle", step

    def _parked(self, reason: messages.Reason) -> None:
        match reason:
            case "finished":
                self._known.want, self._known.outcome = "end", "done"
            case "stop_when":
                self._known.want = "end"
            case "memory":
                self.pause()
            case "ordered" | "failed":
                pass

    def _committed(self, records: tuple[messages.Record, ...]) -> None:
        known = self._known
        for record in records:
            if record.row.step <= known.step:
                continue  # sent again by the next reporter, in case the last one died with it
            known.step = record.row.step
            for event in record.events:
                self._tell(event)
            self._sink(record.row)
            self._deeds.arrive(record.when)
            known.last_commit = record.when

    def _broke(self, seat: Seat, error: TrainingError) -> None:
        if seat.phase == "starting":
            if self._cancel_joined_by(seat.id, str(error)):
                return
            seat.phase, seat.step = "idle", VOID
        self._fail(error)

    def _fail(self, error: BaseException) -> None:
        self._known.failure = self._known.failure or error
        self._known.want, self._known.outcome = "end", "failed"

    def _wrote(self, seat: Seat, report: messages.Wrote) -> None:
        if seat.phase == "busy":
            seat.phase = "idle"
        if report.number == NOT_ASKED:
            if report.error is None:
                self._known.handover = Handover(step=report.step, path=Path(report.path))
            else:
                self._not_handed_over(report)
            return
        for wish in [wish for wish in self._known.wishes if wish.number == report.number]:
            self._known.wishes.remove(wish)
            self._fulfil(wish, report)

    def _not_handed_over(self, report: messages.Wrote) -> None:
        known, error = self._known, _no_room(report)
        if known.suspends() and known.want != "end":
            settle(known.changes.popleft().answer, error=error)
            return
        known.no_room = True
        self._fail(error)

    def _fulfil(self, wish: Wish, report: messages.Wrote) -> None:
        if report.error is not None:
            if wish.checkpoint:
                self._tell(CheckpointFailed(step=report.step, path=report.path, error=report.error))
            settle(wish.answer, error=OSError(report.error))
        elif wish.checkpoint:
            self._tell(CheckpointSaved(step=report.step, path=report.path))
            self._known.handover = Handover(step=report.step, path=state_file(Path(report.path)))
            settle(wish.answer, Path(report.path))
        else:
            settle(wish.answer, read_state(Path(report.path)))
            Path(report.path).unlink(missing_ok=True)

    # -- who is lost

    def lost(self, worker: int, reason: str) -> None:
        """Take in that a worker is gone.

        Args:
            worker: Its id.
            reason: Why, in words.
        """
        known = self._known
        devices, seat = known.devices(), known.seats.pop(worker)
        if seat.phase == "leaving":
            return
        self._tell(WorkerLost(step=known.step, worker=worker, device=str(seat.device), reason=reason))
        self._cancel_joined_by(worker, f"the new worker on {seat.device} is gone ({reason})")
        if worker not in known.crew():
            return
        if seat.phase in ("training", "forming") or known.in_phase("forming"):
            known.broken = True
            self._deeds.abandon()
        if len(known.mapping.workers) > 1:
            self._map_anew(self._launch.policy.remap(known.mapping, [worker]), devices)
        elif predecessors := known.predecessors():
            self._map_anew(self._launch.policy.spread(known.mapping, predecessors), devices)
        else:
            self._restart_unless_ended(seat)

    def _cancel_joined_by(self, worker: int, why: str) -> bool:
        change = next((change for change in self._known.changes if worker in change.joiners), None)
        if change is None:
            return False
        self._known.changes.remove(change)
        for joiner in change.joiners:
            self._deeds.dismiss(joiner)
        settle(change.answer, error=PlanError(f"the resize was cancelled: {why}; the job goes on as before"))
        return True

    def _map_anew(self, mapping: Mapping, devices: dict[int, Device]) -> None:
        before, self._known.mapping = self._known.mapping, mapping
        self._await_recovery(devices_of(before.workers, devices), devices_of(mapping.workers, devices))

    def _restart_unless_ended(self, seat: Seat) -> None:
        known = self._known
        if known.want == "end" and known.outcome == "done":
            # Every step was trained, but the last state is gone: the steps since the last checkpoint come again.
            known.want, known.outcome = "train", "stopped"
        if known.want != "end":
            self._restart(seat)

    def _restart(self, seat: Seat) -> None:
        """Go on from the newest checkpoint with a new worker in the place of the last one."""
        known = self._known
        resume = self._launch.resume
        folder = newest_checkpoint(self._launch.run_dir) or (None if resume is None else resume.folder)
        step = 0 if folder is None else int(read_state(state_file(folder))["step"])
        if known.restarted_at == known.step:
            self._fail(_nobody_left(known.step, folder))
            return
        self._tell(Warned(step=known.step, message=f"no worker was left; going on from step {step} with a new one"))
        known.handover = None if folder is None else Handover(step=step, path=state_file(folder))
        known.step = known.restarted_at = step
        known.mapping = self._launch.policy.spread(known.mapping, [self._deeds.seat(seat.device)])
        self._await_recovery((str(seat.device),), (str(seat.device),))

    def _await_recovery(self, before: tuple[str, ...], after: tuple[str, ...]) -> None:
        since = self._known.last_commit
        self._known.transitions.append(Transition(before=before, after=after, since=since, answer=None))

    # -- what follows, and the end

    def reconcile(self) -> None:
        """Do what brings the run nearer to how it should be, and say how it stands."""
        if self.over:
            return
        while (decision := decide(self._known)) is not None:
            self._deeds.carry_out(decision)
        status = self._known.status()
        if status != self._status:
            self._status = status
            self._sink(status)

    def abandon_wishes(self, answer: Callable[[Wish], None]) -> None:
        """Have what is still wished for answered after the end.

        Args:
            answer: Does it.
        """
        for wish in self._known.wishes:
            answer(wish)
        self._known.wishes.clear()

    def close(self) -> None:
        """Say how the run ended, once the workers are gone."""
        known = self._known
        match known.outcome:
            case "done":
                self._tell(Finished(step=known.step))
            case "stopped":
                self._tell(Stopped(step=known.step))
            case "failed":
                self._tell(Failed(step=known.step, error=str(known.failure)))
        self._sink(Status(state=known.outcome, step=known.step, failure=known.failure))
        self._sink = unheard  # who listened may hold the run, and would be held by it for ever
        self._deeds.close()

    def _tell(self, event: Event) -> None:
        self._sink(event)


def _never_met(known: Known) -> WorkerLostError:
    return WorkerLostError(
        f"the workers could not form a group {_MOST_FORMS} times in a row after step {known.step}; what they say is in "
        f"{known.launch.run_dir / 'logs'}, and the folder where they meet, {known.private}, needs room and must be "
        "writable; vfnb.Job.load goes on from the run's last checkpoint"
    )


def _no_room(report: messages.Wrote) -> WorkerLostError:
    return WorkerLostError(
        f"the state could not be written ({report.error}); make room in {Path(report.path).parent}, "
        "and vfnb.Job.load goes on from the run's last checkpoint"
    )


def _nobody_left(step: int, folder: Path | None) -> WorkerLostError:
    remedy = (
        "no checkpoint was written yet: start the job again"
        if folder is None
        else f'its last checkpoint is {folder}: vfnb.Job.load("{folder}", task) goes on from it'
    )
    return WorkerLostError(f"no worker is left after step {step}, twice at the same step; {remedy}")
