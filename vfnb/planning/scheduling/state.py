"""What a scheduling policy sees and answers: claims of jobs, the state of a cluster, a decision, and its checks."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from vfnb.ground import PlanError, SpecError
from vfnb.planning.scheduling.rates import Bundle, RateOf, devices_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What changes of size cost, in seconds.

    Args:
        start_s: From getting its first devices to a job's first step.
        grow_s: From getting more devices to using them; the job goes on with those it has.
        pause_s: Without progress, at the moment of every change.
        recover_s: Without progress, after a worker was lost.
        checkpoint_s: Between checkpoints: what a job that loses all its devices has to do again.
    """

    start_s: float = 0.0
    grow_s: float = 0.0
    pause_s: float = 0.0
    recover_s: float = 0.0
    checkpoint_s: float = 300.0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not 0 <= getattr(self, name) < float("inf"):
                raise SpecError(f"{name}={getattr(self, name)} is not possible; give seconds of at least 0")


@dataclass(frozen=True, slots=True)
class Progress:
    """Work done, and what is under way: piecewise constant rates.

    Args:
        done: The work done at the time `since`.
        since: When that was.
        phases: (from when, rate) in the order of time; the first begins at `since`, each lasts until the next.
    """

    done: float = 0.0
    since: float = 0.0
    phases: tuple[tuple[float, float], ...] = ()

    def at(self, now: float) -> float:
        """Tell the work done.

        Args:
            now: When, at `since` or later.

        Returns:
            The work.
        """
        done, end = self.done, now
        for start, rate in reversed(self.phases):
            if start < end:
                done += rate * (end - start)
                end = start
        return done

    def rate(self, now: float) -> float:
        """Tell the rate.

        Args:
            now: When, at `since` or later.

        Returns:
            The work a second at that time.
        """
        return next((rate for start, rate in reversed(self.phases) if start <= now), 0.0)

    def reaches(self, work: float) -> float:
        """Tell when an amount of work will be done, if nothing changes.

        Args:
            work: How much.

        Returns:
            The time; infinity where the last rate is zero and the work is not done before it.
        """
        left = work - self.done
        if left <= 0:
            return self.since
        ends = [*(start for start, _ in self.phases), float("inf")][1:]
        for (start, rate), end in zip(self.phases, ends, strict=True):
            if rate > 0 and left <= rate * (end - start):
                return start + left / rate
            left -= rate * (end - start) if rate > 0 else 0.0
        return float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A job as a policy sees it: what it asks for, what it has, how far it is.

    Args:
        name: The job's name, unlike all others.
        arrival: When it was submitted, in seconds.
        demand: The most devices it can use.
        work: How much there is to do, in the unit of its rates.
        rates: Work a second on a set of devices.
        priority: Its weight; more is more urgent.
        deadline: When it should be done, in seconds, or None.
        held: The devices it has now.
        progress: The work done and under way.
        received: Seconds on each set of devices so far; kept where the policy works in rounds.
    """

    name: str
    arrival: float
    demand: int
    work: float
    rates: RateOf
    priority: float = 1.0
    deadline: float | None = None
    held: Bundle = ()
    progress: Progress = field(default_factory=Progress)
    received: Mapping[Bundle, float] = field(default_factory=dict)

    def left(self, now: float) -> float:
        """Tell the work that is left.

        Args:
            now: When.

        Returns:
            The work, 0 or more.
        """
        return max(0.0, self.work - self.progress.at(now))


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A cluster at one moment: all that a decision may depend on.

    Args:
        now: The time in seconds.
        capacity: Devices that work, by kind.
        claims: The jobs that are here and not done, in the order of arrival.
        costs: What changes of size cost.
        prices: What a device costs an hour, by kind; empty where nobody asks.
    """

    now: float
    capacity: Mapping[str, int]
    claims: tuple[Claim, ...]
    costs: Costs = field(default_factory=Costs)
    prices: Mapping[str, float] = field(default_factory=dict)

    @property
    def devices(self) -> int:
        """The number of devices over all kinds."""
        return sum(self.capacity.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Who shall have which devices.

    Args:
        allocations: A set of devices by job; a job that is not named gets none.
        objective: What a solver reached, where there is one.
        failure: Why a solver gave no answer, "" where it did; the allocations are then the best that is known.
    """

    allocations: Mapping[str, Bundle]
    objective: float | None = None
    failure: str = ""


Decide = Callable[[State], Decision]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A way to share a cluster: a pure function, and what it is able to do.

    Args:
        name: What it is called.
        decide: Maps a state to a decision.
        elastic: Whether it changes the size of a running job.
        preempts: Whether it takes all devices from a running job.
        kinds: Devices of "one" kind in all, "many" kinds with one kind a job at a time, or "mixed" in a job.
        round_s: It decides at every multiple of so many seconds; None: whenever something happened.
    """

    name: str
    decide: Decide
    elastic: bool = False
    preempts: bool = False
    kinds: Literal["one", "many", "mixed"] = "one"
    round_s: float | None = None

    def __post_init__(self) -> None:
        if self.round_s is not None and not 0 < self.round_s < float("inf"):
            raise SpecError(f"round_s={self.round_s} is not possible; give seconds above 0, or None")


def decided(policy: Policy, state: State) -> Decision:
    """Ask a policy, and refuse an answer that cannot be.

    Args:
        policy: Whom to ask.
        state: The cluster.

    Returns:
        The decision.

    Raises:
        PlanError: If the answer names a job that is not here, gives more devices than there are or than a job
            demands, or does what the policy says it is not able to do.
    """
    if policy.kinds == "one" and len(state.capacity) > 1:
        raise PlanError(
            f"policy {policy.name!r} shares devices of one kind and the cluster has {', '.join(state.capacity)}; "
            "take a policy for several kinds, such as gavel-max-min"
        )
    decision = policy.decide(state)
    _check_sums(policy, state, decision)
    claims = {claim.name: claim for claim in state.claims}
    for name, devices in decision.allocations.items():
        if name not in claims:
            raise PlanError(
                f"policy {policy.name!r} gives devices to {name!r}, which is not here; name jobs of the state"
            )
        if devices_in(devices) > claims[name].demand:
            raise PlanError(
                f"policy {policy.name!r} gives {name} {devices_in(devices)} devices and it demands "
                f"{claims[name].demand}; give at most the demand"
            )
    if not (policy.elastic and policy.preempts):
        _check_abilities(policy, state, decision)
    return decision


def _check_sums(policy: Policy, state: State, decision: Decision) -> None:
    given: Counter[str] = Counter()
    for devices in decision.allocations.values():
        for kind, count in devices:
            if count < 0:
                raise PlanError(f"policy {policy.name!r} gives {count} devices of {kind!r}; give 0 or more")
            given[kind] += count
    for kind, count in given.items():
        there = state.capacity.get(kind, 0)
        if count > there:
            raise PlanError(
                f"policy {policy.name!r} gives out {count} devices of {kind!r} and there are {there}; "
                "let its allocations add up to at most that"
            )


def _check_abilities(policy: Policy, state: State, decision: Decision) -> None:
    for claim in state.claims:
        after = decision.allocations.get(claim.name, ())
        if claim.held in ((), after):
            continue
        if not (policy.elastic if after else policy.preempts):
            raise PlanError(
                f"policy {policy.name!r} changes {claim.name} from {devices_in(claim.held)} to {devices_in(after)} "
                "devices while it runs; say elastic=True for other sizes and preempts=True for none"
            )


def from_counts(state: State, counts: Mapping[str, int]) -> Decision:
    """Make a decision from numbers of devices, where there is one kind.

    Args:
        state: The cluster.
        counts: Devices by job.

    Returns:
        The decision.
    """
    (kind,) = state.capacity
    return Decision(allocations={name: ((kind, count),) for name, count in counts.items() if count})
