"""A pool of jobs on this machine's devices: what a user asks of it, and the thread that sees to it."""

import sys
import threading
from math import isfinite
from typing import TYPE_CHECKING, Any

from vfnb.ground import Clock, PlanError, SpecError, StateError, SystemClock, face, has_face
from vfnb.planning import Policy, RateOf, find_policy
from vfnb.runtime import devices as devices_here
from vfnb.session.choice import Request, best_devices
from vfnb.session.job import Job
from vfnb.session.pool import card
from vfnb.session.pool.entry import Entry, PoolJob
from vfnb.session.pool.keeper import Keeper
from vfnb.session.reins import Reins
from vfnb.session.waiting import ends_within

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from vfnb.planning import State

_LOOK = 0.1  # seconds between looks


class Pool:
    """Jobs that share devices: a policy decides how many each has, and they grow, shrink and wait as they train.

    Nothing restarts, and each job's bits are those of an undisturbed run. Jobs go on when the kernel is interrupted
    and end with it, as single ones do.

    Args:
        devices: The devices to share, as for a job, of one kind.
        policy: A policy's name such as "wfs", "elastic" or "fifo", a `Policy`, or a function of a
            `vfnb.planning.State` that gives numbers of devices by job.

    Attributes:
        devices: The devices that are shared.
        policy: Who decides.

    Raises:
        SpecError: If there are no such devices, they are of several kinds, or no policy has that name.
    """

    def __init__(
        self, devices: Request = None, policy: "str | Policy | Callable[[State], dict[str, int]]" = "wfs"
    ) -> None:
        self.devices = best_devices(devices, devices_here())
        kinds = sorted({device.rounding for device in self.devices})
        if len(kinds) > 1:
            raise SpecError(f"a pool has devices of one kind, and these are {' and '.join(kinds)}; make a pool of each")
        self.policy = find_policy(policy)
        self._clock: Clock = SystemClock()
        self._keeper = Keeper(self.devices, self.policy, self._clock)
        self._lock, self._news = threading.RLock(), threading.Event()
        self._idle = threading.Event()
        self._thread: threading.Thread | None = None
        self._closed = False

    # -- verbs

    def submit(
        self, job: Job, *, priority: float = 5.0, deadline: float | None = None, rates: RateOf | None = None
    ) -> None:
        """Let a job in; it starts once the policy gives it devices, as many as it was made for at most.

        The job is checked first, as `job.start()` does, and the user's own exceptions come through.

        Args:
            job: Not started.
            priority: Its weight, above 0; more is more urgent.
            deadline: In how many seconds it should be done, for policies that heed it.
            rates: Its steps a second on a set of devices, for policies that heed it; None measures them.

        Raises:
            StateError: If it was started or submitted before, or the pool is closed.
            PlanError: If it asks for more devices than there are, or of another kind, or the policy's answer cannot be.
        """
        _check_priority(priority)
        if self._closed:
            raise StateError("this pool is closed; make a new one: pool = vfnb.Pool(...)")
        reins = job._hand_to("a pool")  # noqa: SLF001  # reins are for who decides on a job's devices, and nobody else
        try:
            with self._lock:
                self._check_fits(job, reins)
                now = self._keeper.now
                due = None if deadline is None else now + deadline
                entry = Entry(job=job, reins=reins, arrival=now, priority=priority, deadline=due, rates=rates)
                self._keeper.take_in(entry)
        except BaseException:
            reins.let_go()
            raise
        self._see_to_it()

    def priority(self, job: Job | str, priority: float) -> None:
        """Change how urgent a job is; its devices follow.

        Args:
            job: The job, or its name.
            priority: Its weight, above 0.
        """
        _check_priority(priority)
        with self._lock:
            self._keeper.weigh(self._entry(job), priority)
        self._see_to_it()

    def cancel(self, job: Job | str) -> None:
        """Take a job out: one that trains stops at its next step with a checkpoint; again, at once.

        Args:
            job: The job, or its name.
        """
        with self._lock:
            self._keeper.let_out(self._entry(job))
        self._see_to_it()

    def wait(self, timeout: float | None = None) -> None:
        """Wait until every job has ended; one that failed stands in `jobs` and raises nothing here.

        An interrupt ends the waiting and no job.

        Args:
            timeout: Seconds to wait at most; None waits as long as it takes.

        Raises:
            TimeoutError: If the time ran out first; the jobs go on.
        """
        try:
            if not ends_within(self._join, timeout, self._clock):
                raise TimeoutError(f"{self!r} has not ended after {timeout} s of waiting; it goes on")
        except KeyboardInterrupt:
            sys.stdout.write(f"{self!r} goes on; pool.close() ends its jobs\n")

    def close(self) -> None:
        """Take every job out, as `cancel` does, and no more in; returns at once."""
        with self._lock:
            self._closed = True
            for entry in self._keeper.live:
                self._keeper.let_out(entry)
        self._see_to_it()

    def dashboard(self) -> Any:
        """Make the panel that shows who has which devices over time, and from which jobs are weighed and cancelled.

        Returns:
            What a notebook shows when it stands at a cell's end; `widget` is to be put beside others.
        """
        return face("pool")(self)

    # -- readings

    @property
    def jobs(self) -> tuple[PoolJob, ...]:
        """How each job stands, in the order of arrival: name, state, priority, demand, devices, waited, error."""
        now = self._keeper.now
        return tuple(entry.shown(now) for entry in list(self._keeper.entries.values()))

    @property
    def timeline(self) -> "pd.DataFrame":
        """A row a change: time (seconds since the pool was made), job, devices (how many it has from then on)."""
        import pandas as pd

        return pd.DataFrame(list(self.changes), columns=["time", "job", "devices"])

    @property
    def changes(self) -> tuple[tuple[float, str, int], ...]:
        """The timeline's rows as triples."""
        return tuple(self._keeper.changes)

    @property
    def busy(self) -> bool:
        """Whether a job has not ended."""
        return self._keeper.busy

    @property
    def closed(self) -> bool:
        """Whether it takes no job any more."""
        return self._closed

    @property
    def seconds(self) -> float:
        """Seconds since the pool was made: the timeline's now."""
        return self._keeper.now

    def __repr__(self) -> str:
        return card.line(self.policy.name, self.devices, self.jobs)

    def _repr_html_(self) -> str:
        return card.table(self.policy.name, self.devices, self.jobs, self.changes, self._keeper.now)

    def _ipython_display_(self) -> None:
        at_rest = self._keeper.entries and not self._keeper.busy
        if at_rest or self._closed or not has_face("pool"):
            raise NotImplementedError  # so IPython is told to take the representations above
        face("pool")(self)._ipython_display_()

    # -- the thread

    def _join(self, seconds: float) -> bool:
        """Wait a moment, tell whether every job has ended, and raise what a policy raised."""
        if self._keeper.busy:
            if self._keeper.failure is not None:
                raise self._keeper.failure
            self._idle.wait(seconds)
        return not self._keeper.busy

    def _see_to_it(self) -> None:
        with self._lock:
            self._idle.clear()
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="vfnb pool", daemon=True)
                self._thread.start()
        self._news.set()

    def _work(self) -> None:
        while True:
            with self._lock:
                self._keeper.turn()
                if not self._keeper.busy:
                    self._thread = None
                    self._idle.set()
                    return
            self._news.wait(_LOOK)
            self._news.clear()

    # -- what may be asked

    def _entry(self, job: Job | str) -> Entry:
        name = job if isinstance(job, str) else job.name
        entry = self._keeper.entries.get(name)
        if entry is None or not (isinstance(job, str) or entry.job is job):
            there = ", ".join(self._keeper.entries) or "none"
            raise StateError(f"there is no job {name!r} in this pool; its jobs are {there}")
        return entry

    def _check_fits(self, job: Job, reins: Reins) -> None:
        if job.name in self._keeper.entries:
            raise StateError(f"this pool has a job named {job.name!r} already; give this one another name=")
        kinds = {device.rounding for device in reins.devices}
        if kinds != {self.devices[0].rounding}:
            raise PlanError(
                f"job {job.name!r} is for {' and '.join(sorted(kinds))} and the pool has {self.devices[0].rounding}; "
                f"make the job with devices like {self.devices[0]}"
            )
        if len(reins.devices) > len(self.devices):
            raise PlanError(
                f"job {job.name!r} asks for {len(reins.devices)} devices and the pool has {len(self.devices)}; "
                f"make it with devices={len(self.devices)} or fewer"
            )


def _check_priority(priority: float) -> None:
    if not (isfinite(priority) and priority > 0):
        raise SpecError(f"priority={priority} is not possible; give a number above 0, more for what is more urgent")
