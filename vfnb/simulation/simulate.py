"""A cluster's day on a manual clock: jobs arrive, a policy decides, jobs grow, shrink, lose devices and end."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from heapq import heappop, heappush
from itertools import count
from math import ceil
from random import Random
from typing import Any

from vfnb.ground import PlanError, SpecError
from vfnb.planning import Claim, Costs, Policy, Progress, State, bundle, decided, find_policy
from vfnb.simulation.change import given, struck
from vfnb.simulation.losses import Loss
from vfnb.simulation.outcome import Outcome
from vfnb.simulation.tally import Tally
from vfnb.simulation.trace import Trace, TraceJob, check_fits, cluster_of


def simulate(
    trace: Trace,
    policy: str | Policy | Callable[[State], Any],
    *,
    devices: int | Mapping[str, int] | None = None,
    costs: Costs | None = None,
    losses: Sequence[Loss] = (),
    seed: int = 0,
) -> Outcome:
    """Let a policy run a trace.

    The same arguments give the same outcome. A policy's answer that cannot be is a PlanError, with the numbers.

    Args:
        trace: The jobs.
        policy: A policy, its name, or a function of a state.
        devices: The cluster; None: the trace's.
        costs: What changes of size cost; None: as the trace says.
        losses: Devices that fail and come back.
        seed: Of the draw which job a failing device belongs to.

    Returns:
        What came of it.

    Raises:
        SpecError: If a job fits nowhere, or a loss names a kind that the cluster has not.
    """
    cluster = cluster_of(trace.devices if devices is None else devices)
    check_fits(trace, cluster)
    strange = sorted({loss.kind for loss in losses} - set(cluster))
    if strange:
        raise SpecError(f"losses name {strange[0]!r} and the cluster has {', '.join(cluster)}; name one of these")
    run = _Run(trace, find_policy(policy), cluster, costs or trace.costs, Random(seed))
    for loss in losses:
        run.expect(loss.at_s, partial(run.fail, loss.kind))
        run.expect(loss.back_s, partial(run.repair, loss.kind))
    run.through()
    return Outcome(
        trace=trace.name,
        policy=run.policy.name,
        devices=cluster,
        jobs=tuple(run.tally.jobs[job.name] for job in trace.jobs),
        changes=tuple(run.tally.changes),
        failures=tuple(run.failures),
    )


class _Run:
    """What changes while a trace is simulated.

    Events are functions of this class, called at their moment; each tells whether it asks for a decision.
    """

    def __init__(self, trace: Trace, policy: Policy, cluster: dict[str, int], costs: Costs, random: Random) -> None:
        self.policy, self.costs, self.prices, self.random = policy, costs, trace.prices, random
        self.capacity = dict(cluster)
        self.now = 0.0
        self.claims: dict[str, Claim] = {}  # those that are here, in the order of arrival
        self.tally = Tally()
        self.failures: list[str] = []
        self._events: list[tuple[float, int, Callable[[], bool]]] = []
        self._order = count()  # events of one moment happen in the order in which they were expected
        self._to_arrive = len(trace.jobs)
        self._decided_at: float | None = None
        self._round_ahead = False
        for job in sorted(trace.jobs, key=lambda job: job.arrival_s):
            self.expect(job.arrival_s, partial(self.arrive, claim_of(job)))

    def expect(self, when: float, event: Callable[[], bool]) -> None:
        heappush(self._events, (when, next(self._order), event))

    def through(self) -> None:
        """Go from event to event until all jobs are done; all events of a moment come before its decision."""
        while self.claims or self._to_arrive:
            if not self._events:
                waiting = ", ".join(self.claims)
                raise PlanError(f"policy {self.policy.name!r} leaves {waiting} waiting for ever; give each job a turn")
            self.now = self._events[0][0]
            asked = False
            while self._events and self._events[0][0] == self.now:
                asked |= heappop(self._events)[2]()
            if asked and self.claims:
                self._decide()

    def arrive(self, claim: Claim) -> bool:
        self._to_arrive -= 1
        self.claims[claim.name] = claim
        if self.policy.round_s is None:
            return True
        if not self._round_ahead:
            self._round_ahead = True
            self.expect(self.policy.round_s * ceil(self.now / self.policy.round_s), self.round)
        return False

    def end(self, name: str, progress: Progress) -> bool:
        claim = self.claims.get(name)
        if claim is None or claim.progress is not progress:
            return False  # its devices changed since this end was foreseen
        del self.claims[name]
        self.tally.ended(claim, self.now)
        return self.policy.round_s is None

    def round(self) -> bool:
        self._round_ahead = bool(self.claims)
        if self.claims and self.policy.round_s is not None:
            self.expect(self.now + self.policy.round_s, self.round)
        return True

    def fail(self, kind: str) -> bool:
        """Lose a device: an idle one or one of a job's, each device with the same chance."""
        holders = [claim for claim in self.claims.values() if dict(claim.held).get(kind)]
        at = self.random.randrange(max(1, self.capacity[kind]))
        self.capacity[kind] -= 1
        for claim in holders:
            at -= dict(claim.held)[kind]
            if at < 0:
                left = bundle((of, n - (of == kind)) for of, n in claim.held) if self.policy.elastic else ()
                self._put(claim, struck(claim, left, self.now, self.costs), "lost")
                break
        return self.policy.round_s is None

    def repair(self, kind: str) -> bool:
        self.capacity[kind] += 1
        return self.policy.round_s is None

    def _decide(self) -> None:
        if self.policy.round_s is not None:
            self._count_rounds()
        there = {kind: n for kind, n in self.capacity.items() if n} if len(self.capacity) > 1 else dict(self.capacity)
        state = State(
            now=self.now, capacity=there, claims=tuple(self.claims.values()), costs=self.costs, prices=self.prices
        )
        decision = decided(self.policy, state)
        if decision.failure:
            self.failures.append(f"{self.now:.0f} s: {decision.failure}")
        for claim in state.claims:
            devices = decision.allocations.get(claim.name, ())
            if devices != claim.held:
                self._put(claim, given(claim, devices, self.now, self.costs), "decided")

    def _put(self, before: Claim, after: Claim, why: str) -> None:
        self.claims[after.name] = after
        self.tally.changed(before, after, self.now, why)
        end = after.progress.reaches(after.work)
        if end < float("inf"):
            self.expect(end, partial(self.end, after.name, after.progress))

    def _count_rounds(self) -> None:
        """Add the time since the last decision to what each job has received."""
        since, self._decided_at = self._decided_at, self.now
        for claim in [claim for claim in self.claims.values() if claim.held and since is not None]:
            took = claim.received.get(claim.held, 0.0) + self.now - max(since or 0.0, claim.progress.since)
            self.claims[claim.name] = replace(claim, received={**claim.received, claim.held: took})


def claim_of(job: TraceJob) -> Claim:
    """Make a job's claim at its arrival.

    Args:
        job: The job.

    Returns:
        The claim.
    """
    return Claim(
        name=job.name,
        arrival=job.arrival_s,
        demand=job.demand,
        work=job.duration_s,
        rates=job.rate_of,
        priority=job.priority,
        deadline=job.deadline_s,
    )
