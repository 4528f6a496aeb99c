"""Carrying out what was decided: commands to workers, news to whoever watches, and what is known from then on."""

from typing import Protocol, assert_never

from vfnb.ground import PlanError, SpecError
from vfnb.runtime import messages
from vfnb.runtime.changes import Transition, devices_of, settle
from vfnb.runtime.decisions import Arrive, Decision, End, GoBack, Recall, Rest, Send, Switch, Welcome
from vfnb.runtime.engine import Sink, unheard
from vfnb.runtime.known import Known
from vfnb.runtime.seats import Handover, Seat, Wish
from vfnb.runtime.snapshot import read_state, state_file
from vfnb.spec import Device, Paused, Recovered, Resized, Warned


class Actions(Protocol):
    """What can be done to the world."""

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


class Deeds:
    """The driver's hands.

    Args:
        known: Changed with each deed.
        actions: What can be done.
        sink: Where news go.
    """

    def __init__(self, known: Known, actions: Actions, sink: Sink) -> None:
        self._known, self._do, self._sink = known, actions, sink

    def close(self) -> None:
        """Have no more news, and let go of whoever watched."""
        self._sink = unheard

    def carry_out(self, decision: Decision) -> None:
        """Do what was decided.

        Args:
            decision: What.
        """
        match decision:
            case Send():
                self._send(decision)
            case GoBack(step=step):
                message = f"no worker left has this state; going on from step {step}"
                self._sink(Warned(step=self._known.step, message=message))
                self._known.step = step
            case End(last=last):
                self._end(last)
            case _:
                self._turn(decision)

    def _turn(self, decision: Welcome | Rest | Switch | Arrive | Recall) -> None:
        match decision:
            case Welcome():
                self._welcome()
            case Rest():
                self._rest()
            case Switch():
                self._switch()
            case Arrive():
                self.arrive(self._do.now())
            case Recall():
                self._recall()
            case _:
                assert_never(decision)

    def seat(self, device: Device) -> int:
        """Start a new worker.

        Args:
            device: What it will own.

        Returns:
            Its id.
        """
        known, worker = self._known, self._known.next_id
        known.next_id += 1
        known.seats[worker] = Seat(id=worker, device=device)
        self._do.start(worker, device)
        return worker

    def abandon(self) -> None:
        """Have the step at hand dropped by everybody who is in the present group."""
        for worker in self._known.in_phase("training", "forming"):
            self._do.send(worker, messages.Abandon(generation=self._known.generation))

    def dismiss(self, worker: int) -> None:
        """End a worker that is not wanted any more, whatever it is doing.

        Args:
            worker: Its id; one that is gone already is fine.
        """
        if worker in self._known.seats:
            self._known.seats[worker].phase = "leaving"
            self._do.kill(worker)

    def arrive(self, when: float) -> None:
        """Answer the changes, and tell the losses, that were waiting for the first commit after.

        Args:
            when: It was; monotonic seconds.
        """
        known = self._known
        for one in known.transitions:
            downtime = max(0.0, when - one.since)
            if one.answer is None:
                self._sink(Recovered(step=known.step, before=one.before, after=one.after, downtime=downtime))
            else:
                resized = Resized(step=known.step, before=one.before, after=one.after, downtime=downtime)
                self._sink(resized)
                settle(one.answer, resized)
        known.transitions.clear()

    def _send(self, decision: Send) -> None:
        known = self._known
        for worker in decision.workers:
            known.seats[worker].phase = decision.phase or known.seats[worker].phase
            self._do.send(worker, decision.command)
        match decision.command:
            case messages.Park(number=number):
                known.order, known.parking = number, True
            case messages.Write(number=number):
                known.order = max(known.order, number)
                if decision.wish is not None:
                    decision.wish.number = number
            case messages.Form(generation=generation):
                known.generation = generation
            case messages.Load() | messages.Leave() | messages.Abandon():
                pass

    def _welcome(self) -> None:
        change = self._known.changes[0]
        change.begun = True
        for device in change.newcomers(self._known.member_devices()):
            change.joiners.append(self.seat(device))

    def _rest(self) -> None:
        known = self._known
        if known.trained and (known.want != "train" or known.suspends()):
            known.wishes.append(Wish(checkpoint=True))
        known.parking = known.broken = known.trained = False
        if known.want == "pause" and not known.paused:
            known.paused = True
            self._sink(Paused(step=known.newest()))

    def _switch(self) -> None:
        known = self._known
        before, suspends = devices_of(known.crew(), known.devices()), known.suspends()
        still = known.want == "pause" or known.suspended or suspends
        change = known.changes.popleft()
        if not suspends:
            try:
                known.mapping = change.mapping(known.mapping, known.member_devices(), known.launch.policy)
            except (PlanError, SpecError) as error:
                settle(change.answer, error=error)
                return
        known.suspended = suspends
        after = devices_of(known.crew(), known.devices())
        since = self._do.now() if still else known.last_commit
        known.transitions.append(Transition(before=before, after=after, since=since, answer=change.answer))

    def _recall(self) -> None:
        written = self._known.handover
        assert written is not None, "a run without workers has its state written"
        while self._known.wishes:
            wish = self._known.wishes.pop()
            if not wish.checkpoint:
                settle(wish.answer, read_state(written.path))
            elif written.path == state_file(written.path.parent):
                settle(wish.answer, written.path.parent)
            else:
                error = "the job has no devices, and so no worker to write a checkpoint; job.resize(1) gives it one"
                settle(wish.answer, error=OSError(error))

    def _end(self, last: Handover | None) -> None:
        known = self._known
        if last is not None:
            known.step, known.final = last.step, read_state(last.path)
        known.over = True
        for change in known.changes:
            settle(change.answer)
        for one in known.transitions:
            if one.answer is not None:
                settle(one.answer)
        for worker, seat in known.seats.items():
            seat.phase = "leaving"
            self._do.send(worker, messages.Leave())
