"""What a change of its devices does to a job's progress: waiting to start, growing behind the work, pausing."""

from dataclasses import replace

from vfnb.planning import Bundle, Claim, Costs, Progress


def given(claim: Claim, devices: Bundle, now: float, costs: Costs) -> Claim:
    """Give a job other devices.

    A start waits for `start_s`. A job that grows goes on with what it has while the new devices make ready, for
    `grow_s`. One that shrinks only pauses. One that loses devices and gets others starts anew, without losing work.

    Args:
        claim: The job.
        devices: What it has from now on, () for nothing.
        now: When.
        costs: What changes cost.

    Returns:
        The job with its devices and its progress.
    """
    done = claim.progress.at(now)
    return replace(claim, held=devices, progress=Progress(done, now, _phases(claim, devices, now, costs)))


def struck(claim: Claim, devices: Bundle, now: float, costs: Costs) -> Claim:
    """Let a job lose devices to a failure.

    With some left it goes on after `recover_s` and has lost nothing; with none left it falls back to its last
    checkpoint, and does up to `checkpoint_s` of work again.

    Args:
        claim: The job.
        devices: What it has left, () for nothing.
        now: When.
        costs: What a recovery costs.

    Returns:
        The job.
    """
    done = claim.progress.at(now)
    if devices:
        begin = max(now + costs.recover_s, _ready(claim, now))
        return replace(claim, held=devices, progress=Progress(done, now, _later(now, begin, claim.rates(devices))))
    lost = claim.progress.rate(now) * costs.checkpoint_s
    return replace(claim, held=(), progress=Progress(max(0.0, done - lost), now))


def _phases(claim: Claim, devices: Bundle, now: float, costs: Costs) -> tuple[tuple[float, float], ...]:
    if not devices:
        return ()
    rate, before, after = claim.rates(devices), dict(claim.held), dict(devices)
    kept = all(after.get(kind, 0) >= count for kind, count in before.items())
    shrunk = all(before.get(kind, 0) >= count for kind, count in after.items())
    if not before or not (kept or shrunk):
        return _later(now, now + costs.start_s, rate)
    if shrunk:
        return _later(now, max(now + costs.pause_s, _ready(claim, now)), rate)
    ready = _ready(claim, now)
    switch = max(now + costs.grow_s, ready)
    meanwhile = claim.progress.rate(now) if ready == now else claim.rates(claim.held)
    paused = ((switch, 0.0),) if costs.pause_s else ()
    return (*_later(now, ready, meanwhile), *paused, (switch + costs.pause_s, rate))


def _ready(claim: Claim, now: float) -> float:
    """Tell when a start that is under way ends: until then there is no progress on any devices."""
    if claim.progress.rate(now) > 0:
        return now
    return next((start for start, rate in claim.progress.phases if rate > 0 and start > now), now)


def _later(now: float, begin: float, rate: float) -> tuple[tuple[float, float], ...]:
    return ((now, rate),) if begin <= now else ((now, 0.0), (begin, rate))
