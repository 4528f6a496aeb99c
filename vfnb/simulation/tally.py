"""The books of a simulation: each job's times, device-seconds and resizes, written as changes happen."""

from dataclasses import dataclass

from vfnb.planning import Claim, devices_in
from vfnb.simulation.outcome import Change, JobOutcome


@dataclass(slots=True)
class _Account:
    """What a job that is not done has used so far."""

    started: float | None = None
    device_seconds: float = 0.0
    useful: float = 0.0
    resizes: int = 0


class Tally:
    """The books: `changes` in the order of time, and `jobs` that are done, by name."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self.jobs: dict[str, JobOutcome] = {}
        self._accounts: dict[str, _Account] = {}

    def changed(self, before: Claim, after: Claim, now: float, why: str) -> None:
        """Write down that a job has other devices.

        Args:
            before: The job until now.
            after: The job from now on.
            now: When.
            why: As `Change` has it.
        """
        account = self._accounts.setdefault(before.name, _Account())
        self._charge(account, before, after.progress.done, now)
        if account.started is None and after.held:
            account.started = now
        account.resizes += bool(before.held and after.held)
        self.changes.append(Change(time=now, job=before.name, held=after.held, why=why))

    def ended(self, claim: Claim, now: float) -> None:
        """Write down that a job is done.

        Args:
            claim: The job, with the devices that it had.
            now: When.
        """
        account = self._accounts.pop(claim.name)
        self._charge(account, claim, claim.work, now)
        self.changes.append(Change(time=now, job=claim.name, held=(), why="done"))
        kind = max(claim.held, key=lambda pair: pair[1])[0]
        started = claim.arrival if account.started is None else account.started
        self.jobs[claim.name] = JobOutcome(
            name=claim.name,
            arrival_s=claim.arrival,
            started_s=started,
            finished_s=now,
            priority=claim.priority,
            demand=claim.demand,
            alone_s=claim.work / claim.rates(((kind, claim.demand),)),
            device_seconds=account.device_seconds,
            useful_s=account.useful,
            resizes=account.resizes,
            deadline_s=claim.deadline,
        )

    def _charge(self, account: _Account, claim: Claim, done: float, now: float) -> None:
        if not claim.held:
            return
        devices = devices_in(claim.held)
        held = devices * (now - claim.progress.since)
        one = sum(count * claim.rates(((kind, 1),)) for kind, count in claim.held) / devices
        account.device_seconds += held
        # A job that scales better than perfectly has no more than all of its devices in use.
        account.useful += min(held, (done - claim.progress.done) / one) if one > 0 else held
