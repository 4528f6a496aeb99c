"""Beginning a sweep, or going on with it: what may be wrong is refused before anything is trained."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from vfnb.ground import SpecError, StateError, SystemClock, share_range
from vfnb.runtime import Engine
from vfnb.runtime import devices as devices_here
from vfnb.session.blueprint import check_whole
from vfnb.session.choice import Request, best_devices
from vfnb.session.engines import EngineName, engine_of, trains_inside_start
from vfnb.session.place import checked_name
from vfnb.session.record import FOLDER
from vfnb.session.saved import open_run
from vfnb.session.sweeps import report
from vfnb.session.sweeps.axes import Point, Value, points_of
from vfnb.session.sweeps.crew import Crew
from vfnb.session.sweeps.folder import Folder
from vfnb.session.sweeps.recipe import MAKING, Recipe, check_task
from vfnb.session.sweeps.sweep import Sweep
from vfnb.session.sweeps.target import Target, target_of
from vfnb.session.task import Task
from vfnb.spec import Device, Options, VirtualCluster

_LIVE: dict[Path, tuple[Sweep, list[Point]]] = {}  # the newest sweep of each directory in this process

_logger = logging.getLogger("vfnb")


def sweep(  # noqa: PLR0913  # a sweep is a job's arguments and what they go over
    task: Task | Callable[..., Task],
    *,
    batches: Iterable[int],
    seeds: Iterable[int] = range(3),
    grid: Mapping[str, Iterable[Value]] | None = None,
    nodes: int | Callable[[int], int | VirtualCluster] | None = None,
    epochs: int | Callable[[int], int] | None = None,
    steps: int | Callable[[int], int] | None = None,
    target: tuple[str, float] | None = None,
    devices: Request = None,
    at_once: int = 1,
    name: str = "sweep",
    run_dir: str | Path | None = None,
    engine: EngineName | Engine = "local",
    options: Options | Callable[[int], Options] | None = None,
) -> Sweep:
    """Train a task at every batch, seed and further value, and keep what comes of it; returns at once.

    The same call goes on where an earlier one ended: what is done is kept, what was stopped goes on from its
    checkpoint, what failed is tried again. More batches, seeds or values train the new ones only. Each run is a job of
    its own, with a directory below the sweep's.

    Args:
        task: A task for all runs; or a function that makes a run's, called under its seed with those of batch, seed
            and the further values that it takes, by name.
        batches: Global batches.
        seeds: Of every random stream, a run each.
        grid: Further values by name, numbers or words, such as `{"lr": [0.1, 0.2]}`; every combination is trained.
        nodes: Virtual nodes of every batch, or a function of the batch to them or to the cluster itself. None has a
            node for every 32 samples.
        epochs: As for a job, or a function of the batch; or `steps`.
        steps: As for a job, or a function of the batch; or `epochs`.
        target: A metric and its value that runs are timed to, such as `("accuracy", 0.8)`; "-perplexity" is to fall,
            and so is any loss.
        devices: As for a job; each run uses as many of them as it has blocks.
        at_once: Runs side by side; the devices are shared out among them.
        name: The sweep's, a directory below `vfnb-runs`.
        run_dir: Its directory, where that is to be elsewhere.
        engine: As for a job; with "inline" it returns at the end.
        options: As for a job, or a function of the batch; None keeps one checkpoint a run.

    Returns:
        The sweep: `table`, `curves`, `chart`, `wait`, `stop`; a notebook shows it live.

    Raises:
        SpecError: If something is wrong, or runs that are kept there are of another task; it names the difference.
        StateError: If the sweep trains already, as another one or in another kernel.
    """
    aim, points = target_of(target), points_of(batches, seeds, grid)
    check_task(task, list(grid or {}))
    recipe = Recipe(task=task, nodes=nodes, epochs=epochs, steps=steps, options=options, engine=engine_of(engine))
    folder = Folder(Path(run_dir).absolute() if run_dir is not None else FOLDER.absolute() / checked_name(name))
    teams = _teams(recipe, points[0], devices, at_once)
    axes = list(points[0].values)
    there = folder.check(axes)
    _check_kept(recipe, points, folder)
    if (working := _working(folder.path, points)) is not None:
        return working
    if not there:
        _try(recipe, points[0], teams[0], folder)
    _check_measured(recipe, points[0], aim)
    folder.claim(axes)
    try:
        return _begun(recipe, points, folder, teams, aim)
    except BaseException:
        folder.release()
        raise


def _begun(
    recipe: Recipe, points: list[Point], folder: Folder, teams: Sequence[Sequence[Device]], target: Target | None
) -> Sweep:
    clock = SystemClock()
    crew = Crew(recipe, points, folder, clock, lambda: folder.keep(report.table(crew.outcomes(), target)))
    over: report.Over = "epoch" if recipe.steps is None else "step"
    made = Sweep(folder.path, over=over, target=target, crew=crew, clock=clock)
    _LIVE[folder.path] = made, points
    crew.train(teams, here=trains_inside_start(engine_of(recipe.engine)))
    return made


def _working(path: Path, points: list[Point]) -> Sweep | None:
    """Find the sweep that this process trains there: running its cell again does not begin another."""
    found, its_points = _LIVE.get(path, (None, []))
    if found is None or not found.running:
        return None
    if its_points != points:
        raise StateError(
            f"sweep {found.name!r} trains with other batches, seeds or values; sweep.stop() and then this call go on "
            f"with these"
        )
    return found


def _check_kept(recipe: Recipe, points: Iterable[Point], folder: Folder) -> None:
    """Refuse to mix runs of different tasks; each run that is kept is compared with what it would be now."""
    said: dict[str, None] = {}
    for point in points:
        attempts = folder.attempts(point)
        if not attempts:
            continue
        saved = open_run(attempts[-1]).identity
        differences = recipe.identity(point, saved).against(saved)
        if differences.refused:
            raise SpecError(
                f"the run in {attempts[-1]} is of another job: {'; '.join(differences.refused[:2])}; give another "
                f"name= to keep both, or delete that directory"
            )
        said |= dict.fromkeys((*differences.warned, *differences.noted))
    for one in said:
        _logger.warning("%s: what is kept was trained otherwise: %s", folder.path.name, one)


def _try(recipe: Recipe, point: Point, team: Sequence[Device], folder: Folder) -> None:
    """Try the first run of a new sweep in the calling thread, so that a mistake is seen in its cell."""
    with MAKING:
        job = recipe.job(point, devices=team, run_dir=folder.next_attempt(point))
        if recipe.options_of(point.cell.batch).check:
            job.check()


def _check_measured(recipe: Recipe, point: Point, target: Target | None) -> None:
    """Refuse a target that no evaluation gives, and values that are named as a metric is."""
    if target is None and not point.cell.grid:
        return
    measured = recipe.measured(point)
    if target is not None and target.metric not in measured:
        raise SpecError(f"target {target.metric!r} is not measured; the task has {', '.join(measured)}")
    both = sorted(set(measured) & set(point.values))
    if both:
        raise SpecError(f"grid has {both[0]!r}, which is a metric of the task; give another name")


def _teams(recipe: Recipe, point: Point, request: Request, at_once: int) -> list[tuple[Device, ...]]:
    """Share devices out among the runs that train side by side."""
    check_whole("at_once", at_once, least=1)
    threads = recipe.options_of(point.cell.batch).threads
    chosen = best_devices(request, devices_here(), threads=threads)
    if trains_inside_start(engine_of(recipe.engine)):
        if at_once > 1:
            raise SpecError(f"at_once={at_once} needs worker processes, which engine='inline' has not; use 'local'")
        return [chosen[:1]]
    if at_once > len(chosen):
        raise SpecError(
            f"at_once={at_once} is more than the devices ({', '.join(map(str, chosen))}); give more devices, such as "
            f"devices={at_once}"
        )
    shares = [share_range(len(chosen), at_once, place) for place in range(at_once)]
    return [chosen[share.start : share.stop] for share in shares]
