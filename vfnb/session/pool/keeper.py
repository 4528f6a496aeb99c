"""What happens in a pool: arrivals and ends ask the policy, and what it says is carried out. No thread in sight.

A device is given out again only once the resize that frees it is done, so it is never in two hands.
"""

import logging
from concurrent.futures import CancelledError
from contextlib import suppress

from vfnb.ground import Clock, StateError, VfnbError
from vfnb.planning import Policy, State, decided, devices_in
from vfnb.session.ledger import ENDED
from vfnb.session.pool.allotment import Devices, allot, next_step
from vfnb.session.pool.entry import Entry

_TRIES = 3  # resizes in a row that do not come about, before a job without devices is stopped

_logger = logging.getLogger("vfnb")


class Keeper:
    """A pool's entries, and who has which devices.

    Args:
        devices: All there are, of one kind.
        policy: Who decides.
        clock: Its seconds count from now on.

    Attributes:
        entries: The jobs by name, in the order of arrival.
        changes: (seconds, job, number of devices), a triple a change.
        failure: Why the policy gave no answer that can be carried out; None where its last one was.
    """

    def __init__(self, devices: Devices, policy: Policy, clock: Clock) -> None:
        self._devices, self._policy, self._clock = devices, policy, clock
        self._began = clock.monotonic()
        self._asked = False
        self._next_round: float | None = None
        self._decided_at = 0.0
        self.entries: dict[str, Entry] = {}
        self.changes: list[tuple[float, str, int]] = []
        self.failure: Exception | None = None

    @property
    def now(self) -> float:
        """Seconds since the pool began."""
        return self._clock.monotonic() - self._began

    @property
    def live(self) -> list[Entry]:
        """The entries that have not ended."""
        return [entry for entry in list(self.entries.values()) if entry.live]

    @property
    def busy(self) -> bool:
        """Whether there is anything left to see to."""
        return any(entry.live or entry.held for entry in list(self.entries.values()))

    # -- what is asked

    def take_in(self, entry: Entry) -> None:
        """Let a job in; where the policy's answer cannot be, it stays out and the error comes through.

        Args:
            entry: The job's.
        """
        entry.idle_since = self.now
        self.entries[entry.job.name] = entry
        self._asked = True
        try:
            self.decide()
        except BaseException:
            del self.entries[entry.job.name]
            self._asked = True
            raise

    def weigh(self, entry: Entry, priority: float) -> None:
        """Change a job's priority; where the policy's answer cannot be, it keeps the one it had.

        Args:
            entry: The job's.
            priority: The new one.
        """
        before, entry.priority = entry.priority, priority
        self._asked = True
        try:
            self.decide()
        except BaseException:
            entry.priority = before
            self._asked = True
            raise

    def let_out(self, entry: Entry) -> None:
        """End a job: one that never had devices is forgotten, another stops at its next step.

        Args:
            entry: The job's.
        """
        if not entry.live:
            return
        if entry.begun:
            entry.job.stop()
        else:
            self._end(entry, "cancelled")

    def decide(self) -> None:
        """Ask the policy, where it is time to; what it says holds from now on, and `turn` carries it out."""
        if not self._due():
            return
        entries, now, (kind, *_) = self.live, self.now, (device.kind for device in self._devices)
        if self._policy.round_s is not None:
            self._count_round(kind, now)
            self._next_round = now + self._policy.round_s
        self._asked = False
        claims = tuple(entry.claim(kind, now) for entry in entries)
        decision = decided(self._policy, State(now=now, capacity={kind: len(self._devices)}, claims=claims))
        if decision.failure:
            _logger.warning("pool: policy %r: %s", self._policy.name, decision.failure)
        counts = {name: devices_in(share) for name, share in decision.allocations.items()}
        goals = allot(
            counts,
            {entry.job.name: entry.goal for entry in entries},
            {entry.job.name: entry.held for entry in self.entries.values()},
            self._devices,
        )
        for entry in entries:
            entry.goal = goals.get(entry.job.name, ())
        self.failure = None

    # -- what follows

    def turn(self) -> None:
        """See what happened, decide where that asks for it, and carry out what can be done now."""
        for entry in self.entries.values():
            self._look_at(entry)
        try:
            self.decide()
        except Exception as error:  # noqa: BLE001  # a policy may be the user's: jobs go on, and who waits is told
            if str(error) != str(self.failure):
                _logger.warning("pool: policy %r gave no answer: %s", self._policy.name, error)
            self.failure = error
        for entry in self.live:
            if entry.handle is None:
                self._advance(entry)

    def _due(self) -> bool:
        if self._policy.round_s is None or not self.live:
            if not self.live:
                self._next_round = None
            return self._asked and bool(self.live)
        return self._next_round is None or self.now >= self._next_round

    def _count_round(self, kind: str, now: float) -> None:
        """Add the time since the last decision to what each job has received."""
        for entry in self.live:
            if entry.goal:
                share = ((kind, len(entry.goal)),)
                since = max(self._decided_at, entry.arrival)
                entry.received[share] = entry.received.get(share, 0.0) + now - since
        self._decided_at = now

    def _look_at(self, entry: Entry) -> None:
        if entry.begun and not entry.over and entry.job.state in ENDED:
            self._end(entry, entry.job.state)
        elif entry.handle is not None and entry.handle.done():
            self._arrived(entry)

    def _end(self, entry: Entry, how: str) -> None:
        if how == "failed":
            _logger.warning("pool: job %r failed; its devices go to the others", entry.job.name)
        entry.reins.let_go()
        entry.over, entry.goal, entry.handle = how, (), None
        self._hold(entry, ())
        if entry.idle_since is not None:
            entry.idle, entry.idle_since = entry.idle + self.now - entry.idle_since, None
        self._asked = True

    def _arrived(self, entry: Entry) -> None:
        handle, entry.handle = entry.handle, None
        assert handle is not None, "a resize was under way"
        try:
            done = handle.result(timeout=0)
        except (VfnbError, OSError, CancelledError) as error:
            self._missed(entry, str(error))
            return
        entry.missed = 0
        if done is not None:  # else the run ended before
            self._hold(entry, entry.aim)

    def _missed(self, entry: Entry, why: str) -> None:
        """Go on without a resize that did not come about; who is left without devices by it has a few more tries."""
        _logger.warning("pool: job %r: %s", entry.job.name, why)
        present = {worker.device for worker in entry.job.workers}
        entry.goal = tuple(device for device in entry.held if device in present)
        self._hold(entry, entry.goal)
        if entry.goal:
            return
        entry.missed += 1
        self._asked = True
        if entry.missed >= _TRIES:
            entry.error = f"it could not go on: {why}"
            entry.job.stop()

    def _advance(self, entry: Entry) -> None:
        others = [device for other in self.entries.values() if other is not entry for device in other.held]
        step = next_step(entry.goal, entry.held, others)
        if set(step) != set(entry.held):
            self._go_on_with(entry, step)
        elif step:
            self._mend(entry)

    def _go_on_with(self, entry: Entry, devices: Devices) -> None:
        entry.aim = devices
        self._hold(entry, (*entry.held, *(device for device in devices if device not in entry.held)))
        if entry.begun:
            self._resize(entry)
            return
        try:
            entry.reins.begin(devices)
            entry.begun = True
        except Exception as error:  # noqa: BLE001  # whatever keeps one job from starting, the others go on
            entry.error = str(error)
            self._end(entry, "failed")

    def _mend(self, entry: Entry) -> None:
        """Give a job that lost a worker another one on the same device, once for each loss."""
        workers = entry.job.workers
        ids = tuple(worker.id for worker in workers)
        if entry.job.state != "running" or ids == entry.mended:
            return
        if {worker.device for worker in workers} != set(entry.held):
            entry.mended, entry.aim = ids, entry.held
            self._resize(entry)

    def _resize(self, entry: Entry) -> None:
        with suppress(StateError):  # it has ended: the next look sees that
            entry.handle = entry.reins.go_on_with(entry.aim)

    def _hold(self, entry: Entry, devices: Devices) -> None:
        before, entry.held = len(entry.held), devices
        if len(devices) != before:
            self.changes.append((self.now, entry.job.name, len(devices)))
        if not devices and entry.live and entry.idle_since is None:
            entry.idle_since = self.now
        elif devices and entry.idle_since is not None:
            entry.idle, entry.idle_since = entry.idle + self.now - entry.idle_since, None
