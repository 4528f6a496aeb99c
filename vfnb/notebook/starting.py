"""`target` and `run`: which cluster, and beginning a run, once; running the cell again does not begin another."""

from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError

from vfnb.notebook.face import follow
from vfnb.notebook.flow import VFlow, once
from vfnb.spec import Device, Options, VirtualCluster

if TYPE_CHECKING:
    from vfnb.planning import Estimate
    from vfnb.session import Job, Task

_PARTS = ("model", "data", "loss", "optimizer")
_OF_THE_CHECKPOINT = ("seed", "epochs", "steps", "options")


def target(flow: VFlow, given: Namespace) -> "VirtualCluster | Estimate":
    """Choose the cluster to stand in for, and say what a run would take there.

    Args:
        flow: Remembers it, and knows the tasks.
        given: The words are the cluster.

    Returns:
        The cluster; with --of, a card of what the run would take there.

    Raises:
        UsageError: If there is no cluster, or no batch.
    """
    if not given.words or given.batch is None:
        raise UsageError("target needs a cluster and its --batch; try: %vflow target 1024xTPUv3 --batch 32768")
    if given.chart and given.of is None:
        raise UsageError("--chart draws an estimate; say of what: --of task, or a known model such as --of bert-large")
    chosen = flow.target = VirtualCluster.parse(" ".join(given.words), global_batch=given.batch)
    return chosen if given.of is None else _estimated(flow, chosen, given)


def _estimated(flow: VFlow, cluster: VirtualCluster, given: Namespace) -> "Estimate":
    from vfnb.session import Task, estimate

    what = flow.names.get(given.of, given.of)
    found = estimate(what if isinstance(what, Task) else given.of, cluster, epochs=given.epochs, steps=given.steps)
    if given.chart:
        from vfnb.notebook.showing import show_chart

        show_chart(found)
    return found


def run(flow: VFlow, given: Namespace) -> "Job":
    """Begin a run and show it; where it trains already, show that one.

    Args:
        flow: Has the target, and remembers the run.
        given: The word is the task.

    Returns:
        The run.

    Raises:
        UsageError: If something is missing, or another run is in the way.
    """
    _check_name(flow, given.name)
    earlier, make = _maker(flow, given)
    training = flow.training()
    if training:
        same = _same(make(None), training, given.name)
        if same is not None:
            print(f"run {same.name!r} is {same.state} already; to change its devices: %vflow resize 2")  # noqa: T201
            once(flow.shell, same, lambda: follow(same))
            return same
        _make_way(training, given)
    job = make(_free(given.name) if given.replace else given.name)
    if earlier is not None:
        print(f"going on from step {job.step} of {job.steps} of run {earlier.name!r}, as run {job.name!r}")  # noqa: T201
    job.start()
    flow.keep(job, given.name)
    once(flow.shell, job, lambda: follow(job))
    return job


def devices_in(flow: VFlow, text: str | None) -> Any:
    """Read devices as a line has them.

    Args:
        flow: Knows the variables and the default.
        text: A number, names joined by commas or blanks, a list as Python prints it, or a variable's name; None
            takes the default.

    Returns:
        What a Job takes.
    """
    if text is None:
        return flow.devices
    if text.lstrip("-").isdigit():
        return int(text)
    if text in flow.names and not _is_device(text):
        return flow.names[text]
    return text.translate(str.maketrans("[]()'\",", "       ")).split()


def _is_device(text: str) -> bool:
    with suppress(ValueError):
        Device.parse(text)
        return True
    return False


def _check_name(flow: VFlow, name: str | None) -> None:
    """Refuse a run's name that would replace a variable of the user's."""
    from vfnb.session import Job

    if name in flow.names and not isinstance(flow.names[name], Job):
        kind = type(flow.names[name]).__name__
        raise UsageError(f"--name {name} would replace your variable {name} (a {kind}); take another name")


def _task(flow: VFlow, given: Namespace) -> "Task":
    from vfnb.session import Task

    parts = [f"--{part}" for part in _PARTS if getattr(given, part) is not None]
    if given.words:
        if parts:
            raise UsageError(f"run takes a task or its parts, not both; leave out {given.words[0]} or {parts[0]}")
        return flow.named(given.words[0], Task, "give a vfnb.Task(model, train, loss, optimizer)")
    missing = [f"--{part}" for part in _PARTS if f"--{part}" not in parts]
    if missing:
        tasks = flow.of_kind(Task)
        instead = f"; try: %vflow run {tasks[-1]}" if tasks and len(missing) == len(_PARTS) else ""
        needs = f"run needs a task, or {' '.join(f'--{part}' for part in _PARTS)}"
        raise UsageError(f"{needs}; missing: {', '.join(missing)}{instead}")
    found: dict[str, Any] = {
        part: flow.named(getattr(given, part), object, "define it in a cell first") for part in _PARTS
    }
    return Task(found["model"], found["data"], found["loss"], found["optimizer"])


def _maker(flow: VFlow, given: Namespace) -> "tuple[Path | None, Callable[[str | None], Job]]":
    """Tell which run is to go on, if any, and give what makes the job under a name."""
    from vfnb.notebook.resuming import origin
    from vfnb.session import Job

    task, devices = _task(flow, given), devices_in(flow, given.on)
    if given.resume is None:
        return None, beginning(flow, given, task, devices)
    for flag in _OF_THE_CHECKPOINT:
        if getattr(given, flag) is not None:
            raise UsageError(f"a run that goes on keeps its {flag}; leave out --{flag}")
    earlier = origin(given.resume, task)
    return earlier, lambda name: Job.load(earlier, task, devices=devices, name=name)


def beginning(flow: VFlow, given: Namespace, task: "Task", devices: Any) -> "Callable[[str | None], Job]":
    """Give what makes a job of a line, under a name.

    Args:
        flow: Has the target.
        given: The flags.
        task: What to learn.
        devices: As a Job takes them.

    Returns:
        A function of the job's name.

    Raises:
        UsageError: If no target is chosen.
    """
    from vfnb.session import Job

    cluster = flow.target
    if cluster is None:
        raise UsageError("no target is chosen; begin with: %vflow target 64xV100 --batch 512")
    return lambda name: Job(
        task,
        cluster,
        devices=devices,
        seed=flow.seed if given.seed is None else given.seed,
        epochs=1 if given.epochs is None and given.steps is None else given.epochs,
        steps=given.steps,
        name=name,
        options=None if given.options is None else flow.named(given.options, Options, "give a vfnb.Options(...)"),
    )


def _same(candidate: "Job", training: "dict[str, Job]", name: str | None) -> "Job | None":
    """Find the run that a line asks for among those that train."""
    for known, job in training.items():
        if name in (None, known, job.name) and job.identity == candidate.identity:
            return job
    return None


def _make_way(training: "dict[str, Job]", given: Namespace) -> None:
    """Stop the run in the way where that is asked for, and refuse where it is not: they would share devices."""
    known = given.name if given.name in training else next(reversed(training))
    if given.replace:
        job = training[known]
        job.stop()
        with suppress(Exception):  # how the old run ended is its own affair
            job.wait()
        if job.state in ("done", "stopped", "failed"):
            return
        raise UsageError(f"run {known!r} has not stopped yet; run the cell again, or: %vflow stop {known}")
    if given.name is None or given.name in training:
        raise UsageError(
            f"run {known!r} trains already and is another one; add --replace to stop it first, or "
            f"{'another ' if given.name else ''}--name to train both"
        )


def _free(name: str | None) -> str | None:
    """Number a run's name where there was a run of that name before."""
    from vfnb.session import FOLDER

    if name is None or not (FOLDER / name).exists():
        return name
    return next(one for number in count(2) if not (FOLDER / (one := f"{name}-{number}")).exists())
