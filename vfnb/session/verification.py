"""Replaying a run from its receipt, to tell whether this machine gives the same bits, and where not, why perhaps."""

import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import gcd
from pathlib import Path
from typing import Any, NoReturn

from vfnb.ground import SpecError, StateError
from vfnb.runtime import devices as devices_here
from vfnb.session.blueprint import Length, draw
from vfnb.session.choice import Request
from vfnb.session.comparison import first_difference
from vfnb.session.engines import EngineName, engine_of, first_devices
from vfnb.session.environment import wider_environment
from vfnb.session.identity import Identity, identity_of
from vfnb.session.job import Job
from vfnb.session.receipt import KIND, VERSION
from vfnb.session.record import RUN
from vfnb.session.saved import SavedRun, open_run
from vfnb.session.task import Task
from vfnb.spec import Device, OutOfMemory, Row

_LOOK = 0.5  # seconds between looks at the replay
_MOST_SAID = 3
_HOME = re.compile(r"[\w<>]+\.")
_NAMED = ("name", "kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What came of a replay.

    Attributes:
        run: The run's name.
        equal: Whether every fingerprint that was compared is the same.
        step: The first step that differs; None where all are equal.
        compared: The steps whose fingerprints were compared, ascending.
        causes: What is different here and may be why, the likeliest first.
        fingerprint: The replay's own, at its last step.
    """

    run: str
    equal: bool
    step: int | None
    compared: tuple[int, ...]
    causes: tuple[str, ...]
    fingerprint: str

    def __str__(self) -> str:
        many = f"{len(self.compared)} fingerprint{'s' * (len(self.compared) != 1)}"
        if self.equal:
            return f"{self.run}: equal, {many} up to step {max(self.compared):,}"
        before = max((step for step in self.compared if self.step is not None and step < self.step), default=0)
        since = f"equal up to step {before:,}" if before else "from the first fingerprint on"
        why = "; ".join(self.causes) or "nothing known is different here: a kernel that is not deterministic, or memory"
        return f"{self.run}: differs at step {self.step:,} ({since}); likely cause: {why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Original:
    """What is to be repeated."""

    name: str
    identity: Identity
    environment: dict[str, str]
    fingerprints: dict[int, str]
    halvings: tuple[tuple[int, int], ...]  # from which step on, to how many nodes a pass
    device: Device | None  # that it began on


def verify(run: SavedRun | str | Path, task: Task, *, devices: Request = None, engine: EngineName = "local") -> Verdict:
    """Train a run again here, from its first step, and compare fingerprints.

    It ends at the first step that differs, or at the last fingerprint of the original. The bits depend on no
    mapping, so that one device repeats what many did. Where the original computed fewer virtual nodes a pass from a
    step on, since they did not fit its device, so does the replay.

    Args:
        run: A run, its directory or name, or a receipt.json.
        task: What it learned: no file of a run holds code.
        devices: As for a job; None takes one of the kind that the run began on, or of the best kind here.
        engine: As for a job.

    Returns:
        Equal, or where not and why perhaps.

    Raises:
        SpecError: If there is no such run, it has no fingerprint yet, or the task is another one.
        StateError: If a pass does not fit the devices here.
    """
    original = _original(run)
    if not original.fingerprints:
        raise SpecError(f"the run {original.name!r} has no fingerprint on disk yet, so there is nothing to verify")
    chosen = _devices(original.device) if devices is None else devices
    changes = tuple(_changes(original, task, chosen, engine))
    with tempfile.TemporaryDirectory(prefix="vfnb-verify-") as folder:
        job = _job(original, task, chosen, engine, Path(folder) / "replay")
        job.start()
        _follow(job, original.fingerprints)
        found = open_run(job.run_dir).fingerprints
        fingerprint = job.fingerprint
    compared = tuple(sorted(original.fingerprints.keys() & found.keys()))
    assert compared, "the replay takes its fingerprints at the original's steps"
    step = first_difference(original.fingerprints, found)
    return Verdict(
        run=original.name,
        equal=step is None,
        step=step,
        compared=compared,
        causes=() if step is None else changes,
        fingerprint=fingerprint,
    )


def _original(run: SavedRun | str | Path) -> _Original:
    if isinstance(run, str | Path) and Path(run).is_file():
        return _from_receipt(_read(Path(run)))
    saved = run if isinstance(run, SavedRun) else open_run(run)
    # All its fingerprints: a receipt may have left some out.
    return _from_receipt(saved.receipt | {"fingerprints": {str(k): v for k, v in saved.fingerprints.items()}})


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SpecError(f"{path} is no receipt ({error}); give a run's directory or its receipt.json") from error
    if isinstance(found, dict) and path.name == RUN:
        raise SpecError(f"{path} is no receipt; give the run's directory, {path.parent}")
    if not isinstance(found, dict) or found.get("type") != KIND:
        raise SpecError(f"{path} is no receipt of vfnb's; give a run's directory or its receipt.json")
    if found.get("version") != VERSION:
        raise SpecError(f"{path} has version {found.get('version')!r}; this vfnb reads {VERSION}: update vfnb")
    return found


def _from_receipt(receipt: dict[str, Any]) -> _Original:
    try:
        environment = dict(receipt["environment"])
        numeric = {name: text for name, text in environment.items() if name not in {*wider_environment(), "threads"}}
        first = next((worker for one in receipt["mappings"] for worker in one["workers"].values()), None)
        return _Original(
            name=str(receipt["run"]["name"]),
            identity=Identity({"version": 1, **receipt["job"], "environment": numeric}),
            environment=environment,
            fingerprints={int(step): str(text) for step, text in receipt["fingerprints"].items()},
            halvings=tuple((int(step), int(nodes)) for step, nodes in receipt.get("halvings", ())),
            device=None if first is None else Device.parse(first["device"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SpecError(f"the receipt is damaged ({type(error).__name__}: {error}); take that of its run") from error


def _devices(began: Device | None) -> Request:
    """Take one device of the kind and with the threads that the run began on, where there is one."""
    here = [device for device in devices_here() if began is not None and device.kind == began.kind]
    if not here or began is None:
        return 1
    return [str(Device(here[0].kind, here[0].index, began.threads))]


def _job(original: _Original, task: Task, devices: Request, engine: EngineName, folder: Path) -> Job:
    fields = original.identity.fields
    *earlier, last = sorted(original.fingerprints)
    options = replace(
        original.identity.options,
        checkpoint_every=None,
        keep=1,
        keep_best=None,
        log_with=(),
        fingerprint_every=gcd(*earlier) or last,
        stop_when=None if last >= fields["steps"] else _Until(last),
    )
    job = Job(
        task,
        original.identity.cluster,
        devices=devices,
        seed=fields["seed"],
        steps=fields["steps"],
        run_dir=folder,
        engine=engine,
        options=options,
    )
    job._prepared.halvings = original.halvings  # noqa: SLF001  # a past that no user gives a job
    return job


@dataclass(frozen=True)
class _Until:
    """Ends a run after a step; a class, so that it travels by value."""

    step: int

    def __call__(self, row: Row) -> bool:
        return row.step >= self.step


def _follow(job: Job, expected: dict[int, str]) -> None:
    """Wait for the replay's end, and end it at the first step that differs."""
    while job.state not in ("done", "stopped", "failed"):
        try:
            job.wait(timeout=_LOOK)
        except TimeoutError:
            if job.state == "paused":
                _does_not_fit(job)
            if first_difference(expected, open_run(job.run_dir).fingerprints) is not None:
                job.stop()
        else:
            if job.state not in ("done", "stopped", "failed"):  # an interrupt ends the waiting alone
                job.stop()
                job.stop()
                raise KeyboardInterrupt
    job.wait()


def _does_not_fit(job: Job) -> NoReturn:
    """End a replay that pauses: nobody else holds it."""
    job.stop()
    job.wait()
    said = next((event.message for event in reversed(job.events) if isinstance(event, OutOfMemory)), "it pauses")
    raise StateError(f"the run cannot be repeated here: {said}")


def _changes(original: _Original, task: Task, devices: Request, engine: EngineName) -> Iterator[str]:
    """Say what is different here, the likeliest cause first, and refuse another job's task."""
    fields, options = original.identity.fields, original.identity.options
    length = Length(epochs=None, steps=fields["steps"])
    blueprint = draw(task, original.identity.cluster, seed=fields["seed"], length=length, options=options)
    threads, blocks = options.threads, blueprint.layout.most_workers
    chosen = first_devices(devices, devices_here(), engine_of(engine), threads=threads, blocks=blocks)
    now = identity_of(blueprint, [device.kind for device in chosen]).fields
    here, there = Identity(_unhomed(now)), Identity(_unhomed(fields))
    settled = {name: there.fields.get(name) for name in ("functions", "options")}
    differences = Identity(here.fields | settled).against(there)
    if differences.refused:
        said = "; ".join(differences.refused[:_MOST_SAID])
        raise SpecError(f"the task is not that of {original.name!r}: {said}; give the task it was trained with")
    if here.fields["model"]["initial"] != there.fields["model"]["initial"]:
        yield "the task's initial weights are others: seed torch where the model is made, or give a factory"
    yield from _other(original, {"threads": ", ".join(map(str, sorted({one.threads for one in chosen})))})
    yield from (one.removeprefix("environment.") for one in differences.noted)
    yield from differences.warned
    yield from _other(original, wider_environment())


def _other(original: _Original, here: dict[str, str]) -> Iterator[str]:
    for name, now in here.items():
        then = original.environment.get(name)
        if then is not None and then != now:
            yield f"{name} was {then}, is {now} here"


def _unhomed(value: Any, name: str = "") -> Any:
    """Leave modules out of names: a task that moved from a notebook's cell into a file is the same one."""
    match value:
        case dict():
            return {key: _unhomed(one, "name" if name == "metrics" else key) for key, one in value.items()}
        case list():
            return [_unhomed(one) for one in value]
        case str() if name in _NAMED:
            return _HOME.sub("", value)
        case _:
            return value
