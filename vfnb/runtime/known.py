"""What the driver knows of a run, and pure questions about it."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from vfnb.runtime.changes import Change, Transition
from vfnb.runtime.engine import Launch, Snapshot, State, Status, Worker
from vfnb.runtime.seats import VOID, Handover, Phase, Seat, Wish, newest
from vfnb.spec import Device, Mapping


@dataclass(slots=True, kw_only=True)
class Known:
    """How things are, and how they should be.

    Attributes:
        launch: How the run began.
        private: A folder for group files and handed-over states.
        nccl: Whether some devices can sum over nccl.
        mapping: Who owns what from the next generation on; the present one's until something changes. Blocks that
            come in at a later step are in it. Of a run without workers the last one.
        want: What the run should be doing.
        last_commit: When the last step was committed; monotonic seconds.
        next_id: The next new worker's id.
        seats: The workers that live, by id.
        outcome: What the end will be called.
        failure: Why, where it is a failure.
        changes: Asked for and not applied; the first is under way.
        wishes: States to be written.
        transitions: Changes and losses whose first commit after is awaited.
        handover: The last written state.
        generation: The last group's number.
        order: The last order's number.
        failed_forms: How many groups in a row did not come about.
        parking: Whether the group is told to stand still.
        broken: Whether the group is known to be broken.
        trained: Whether anybody trained since all last stood still.
        paused: Whether the pause has been told.
        over: Whether the workers have been told to leave.
        step: The last committed step.
        restarted_at: The step that a last worker was lost at; `VOID` for none.
        suspended: Whether nobody owns anything: the run has no workers, and its state is the written one.
        no_room: Whether a state could not be written for want of room.
        final: The last state, read before the workers go.
    """

    launch: Launch
    private: Path
    nccl: Callable[[Iterable[Device]], bool]
    mapping: Mapping
    want: Literal["train", "pause", "end"]
    last_commit: float
    next_id: int = 0
    seats: dict[int, Seat] = field(default_factory=dict)
    outcome: Literal["done", "stopped", "failed"] = "stopped"
    failure: BaseException | None = None
    changes: deque[Change] = field(default_factory=deque)
    wishes: list[Wish] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    handover: Handover | None = None
    generation: int = 0
    order: int = 0
    failed_forms: int = 0
    parking: bool = False
    broken: bool = False
    trained: bool = False
    paused: bool = False
    over: bool = False
    step: int = VOID
    restarted_at: int = VOID
    suspended: bool = False
    no_room: bool = False
    final: Snapshot | None = None

    def crew(self) -> tuple[int, ...]:
        """List the workers that own something, whether they live or not."""
        return () if self.suspended else self.mapping.workers

    def members(self) -> list[Seat]:
        """List the seats of those of the crew that live."""
        return [self.seats[worker] for worker in self.crew() if worker in self.seats]

    def member_devices(self) -> dict[int, Device]:
        """Give the devices of the crew."""
        return {seat.id: seat.device for seat in self.members()}

    def devices(self) -> dict[int, Device]:
        """Give the devices of all workers that live."""
        return {worker: seat.device for worker, seat in self.seats.items()}

    def in_phase(self, *phases: Phase) -> list[int]:
        """List the workers that are in one of some phases."""
        return [worker for worker, seat in self.seats.items() if seat.phase in phases]

    def newest(self) -> int:
        """Find the newest step that an idle worker, or the written state, holds."""
        return newest(self.seats.values(), self.handover)

    def written(self) -> Handover | None:
        """Give the written state, where it is the newest."""
        return self.handover if self.handover is not None and self.handover.step == self.newest() else None

    def source(self) -> Seat | None:
        """Find an idle worker with the newest state, a member rather than another."""
        step = self.newest()
        able = [seat for seat in self.seats.values() if seat.phase == "idle" and seat.step == step > VOID]
        return min(able, key=lambda seat: (seat.id not in self.crew(), seat.id), default=None)

    def lacking(self) -> list[Seat]:
        """List the members that do not have the newest state."""
        step = self.newest()
        return [seat for seat in self.members() if seat.step != step]

    def unneeded(self) -> list[int]:
        """List the idle workers that neither train nor join."""
        return [worker for worker in self._settled("idle") if worker not in self.crew()]

    def predecessors(self) -> list[int]:
        """List who was to leave, and has not yet: where their successor is lost, their state is the newest."""
        return sorted(self._settled("idle", "busy"))

    def _settled(self, *phases: Phase) -> list[int]:
        """List the workers in one of some phases that did not come for a change."""
        joining = {worker for change in self.changes for worker in change.joiners}
        return [worker for worker in self.in_phase(*phases) if worker not in joining]

    def ripe(self) -> bool:
        """Tell whether the next change can be applied: its new workers are up."""
        if not self.changes or not self.changes[0].begun:
            return False
        return all(self.seats[worker].phase == "idle" for worker in self.changes[0].joiners)

    def suspends(self) -> bool:
        """Tell whether the next change can be applied and leaves no worker."""
        return self.ripe() and self.changes[0].devices == ()

    def at_rest(self) -> bool:
        """Tell whether it was noted that all stand still, and told where that is a pause."""
        moved = self.parking or self.broken or self.trained
        return not moved and (self.want != "pause" or self.paused)

    def status(self) -> Status:
        """Say how the run stands, for whoever watches it."""
        mapping = self.mapping.at(max(self.step, 0) + 1)
        counts = mapping.counts
        workers = tuple(
            Worker(id=seat.id, pid=seat.pid, device=seat.device, virtual_nodes=counts[seat.id])
            for seat in self.members()
            if seat.phase not in ("starting", "leaving")
        )
        present = None if self.suspended else mapping
        return Status(state=self._state(), step=self.step, workers=workers, mapping=present)

    def _state(self) -> State:
        if self.changes or any(one.answer is not None for one in self.transitions):
            return "resizing"
        if self.transitions:
            return "recovering"
        if self.suspended or (self.paused and self.want == "pause"):
            return "paused"
        return "starting" if self.generation == 0 else "running"
