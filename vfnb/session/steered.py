"""What the verbs of a job share: how it begins, the run that they need, and who decides on its devices."""

from collections.abc import Iterable
from pathlib import Path

from vfnb.ground import Clock, StateError
from vfnb.runtime import Engine, Run, Status
from vfnb.session.announcer import Announcer
from vfnb.session.balancing import Balancer
from vfnb.session.engines import trains_inside_start
from vfnb.session.feed import Feed
from vfnb.session.handle import Handle
from vfnb.session.readings import Readings
from vfnb.session.record import create
from vfnb.session.reins import Reins
from vfnb.session.remarks import say
from vfnb.spec import Device, Event, Mapping, Options, Warned


class Steered(Readings):
    """The side of a `Job` that its verbs stand on."""

    run_dir: Path
    options: Options
    _clock: Clock
    _balancer: Balancer
    _engine: Engine
    _feed: Feed
    _looked_over: bool
    _keeper = ""  # who decides on its devices, where that is not the user

    # -- the beginning

    def _look_over(self) -> tuple[Event, ...]:
        noticed = self._prepared.look_over(travels=not trains_inside_start(self._engine))
        self._looked_over = True
        return self._notice(noticed)

    def _begin(self) -> None:
        if self.options.check and not self._looked_over:
            self._look_over()
        prepared, call = self._prepared, self.options.on_event
        record = create(self.run_dir, prepared.heading(self.name, self._clock.now()))
        self._feed.open(record, None if call is None else Announcer(call, self._feed, self.name))
        self._feed(Status(state="starting", step=prepared.step, mapping=self._present()))
        try:
            self._learned.run = self._engine.start(
                prepared.program, prepared.launch(self.name, self.run_dir), self._balancer
            )
        except BaseException as error:
            if not self._ledger.ended:
                self._feed(Status(state="failed", step=self._ledger.status.step, failure=error))
            raise

    def _go_on_with(self, devices: tuple[Device, ...]) -> Handle:
        run, named = self._resizable("resize"), ", ".join(map(str, devices))
        return Handle(f"resize to {named or 'no devices'}", run.resize(devices))

    def _present(self) -> Mapping:
        """Give the mapping of the next step, were its workers those that the job was made with."""
        return self._prepared.mapping.at(self._ledger.status.step + 1)

    # -- who decides on its devices

    @property
    def pooled(self) -> bool:
        """Whether a pool decides on its devices."""
        return bool(self._keeper)

    def _hand_to(self, keeper: str) -> Reins:
        """Let somebody else decide where it trains; until they let go, `start` and `resize` refuse and say who."""
        self._free_for("submit")
        if self.state != "new":
            raise StateError(
                f"job {self.name!r} was started already and is {self.state}; submit a job that is not started"
            )
        if trains_inside_start(self._engine):
            raise StateError(f"job {self.name!r} has engine='inline' and trains inside start(); use engine='local'")
        if self.options.check and not self._looked_over:
            self._look_over()
        self._keeper = keeper
        return Reins(
            devices=self._prepared.devices, begin=self._begin_on, go_on_with=self._go_on_with, let_go=self._let_go
        )

    def _begin_on(self, devices: tuple[Device, ...]) -> None:
        self._prepared.begin_on(devices)
        self._begin()

    def _let_go(self) -> None:
        self._keeper = ""

    def _free_for(self, verb: str) -> None:
        if self._keeper:
            raise StateError(
                f"job {self.name!r} is in {self._keeper}, which decides on its devices, so you cannot {verb} it; "
                "pool.priority(job, 8) gives it more of them, pool.cancel(job) takes it out"
            )

    # -- the run that a verb needs

    def _started(self, verb: str) -> Run:
        """Give the run, which verbs need; a StateError says that there is none."""
        if self.state == "new":
            raise StateError(f"job {self.name!r} is not started, so there is nothing to {verb}; job.start() first")
        if self._learned.run is None:
            raise StateError(
                f"job {self.name!r} trains inside start(), so there is nothing to {verb} (engine='inline')"
            )
        return self._learned.run

    def _live(self, verb: str) -> Run:
        """Give the run where it still moves."""
        if self._ledger.ended:
            raise StateError(f"job {self.name!r} is {self.state}, so there is nothing to {verb}")
        return self._started(verb)

    def _equipped(self, verb: str) -> Run:
        """Give the run where it has devices."""
        run = self._live(verb)
        if self.state == "paused" and not self.workers:
            raise StateError(
                f"job {self.name!r} is suspended and has no devices, so there is nothing to {verb}; "
                f"job.resize({len(self._prepared.devices)}) gives it some"
            )
        return run

    def _resizable(self, verb: str) -> Run:
        """Give the run where its workers can change."""
        if trains_inside_start(self._engine):
            raise StateError(f"engine='inline' trains on one device, so there is nothing to {verb}; use engine='local'")
        return self._live(verb)

    def _notice(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """Take in what this thread found out, and say aloud what is new and a warning."""
        noticed = tuple(events)
        for event in noticed:
            if not any(_alike(event, earlier) for earlier in self._ledger.events):
                self._feed(event)
                say(event, self.name)
        return noticed


def _alike(event: Event, earlier: Event) -> bool:
    """Tell whether an event says nothing new: a warning says the same at any step."""
    if isinstance(event, Warned) and isinstance(earlier, Warned):
        return event.message == earlier.message
    return event == earlier
