"""What `%vflow` remembers in one shell: its defaults, the target, the runs, and what a name in a line means."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

from IPython.core.error import UsageError
from traitlets import Any as Anything
from traitlets import Int
from traitlets.config import Configurable

if TYPE_CHECKING:
    from vfnb.session import Job, Pool, Sweep
    from vfnb.spec import VirtualCluster

_T = TypeVar("_T")
_ENDED = ("done", "stopped", "failed")


class VFlow(Configurable):
    """Defaults of `%vflow run`: `%config VFlow.seed = 1`."""

    devices = Anything(None, help="What --on is where a line does not say: a number, names, or None for all.").tag(
        config=True
    )
    seed = Int(0, min=0, help="What --seed is where a line does not say.").tag(config=True)

    def __init__(self, shell: Any) -> None:
        super().__init__(parent=shell)
        self.shell = shell
        self.target: VirtualCluster | None = None
        self.pool: Pool | None = None
        self.jobs: dict[str, Job] = {}  # by the name that the user knows each by, the newest last
        self.sweep: Sweep | None = None  # the newest

    # -- variables ------------------------------------------------------------------------------------------

    @property
    def names(self) -> dict[str, Any]:
        """The user's variables."""
        names: dict[str, Any] = self.shell.user_ns
        return names

    def named(self, name: str, kind: type[_T], remedy: str) -> _T:
        """Find a variable of a kind.

        Args:
            name: The variable's.
            kind: What it must be; `object` takes anything.
            remedy: What to write instead.

        Returns:
            Its value.

        Raises:
            UsageError: If there is none, or it is something else.
        """
        if name not in self.names:
            raise UsageError(f"nothing here is named {name!r}; {meant(name, self.of_kind(kind)) or remedy}")
        value = self.names[name]
        if not isinstance(value, kind):
            raise UsageError(f"{name} is a {type(value).__name__}; {remedy}")
        return value

    def of_kind(self, kind: type) -> list[str]:
        """Name the user's variables of a kind.

        Args:
            kind: Of their values.

        Returns:
            The names, in the order of their definition.
        """
        own = self.names.items()
        return [name for name, value in own if isinstance(value, kind) and not name.startswith("_")]

    # -- runs -----------------------------------------------------------------------------------------------

    def job(self, name: str | None) -> "Job":
        """Find a run.

        Args:
            name: A run's, or a variable's that holds one; None takes the newest.

        Returns:
            The run.

        Raises:
            UsageError: If there is none.
        """
        known = self.known()
        if not known:
            raise UsageError("no run was started here; begin with: %vflow run task --on 2")
        if name is None:
            return next(reversed(known.values()))
        called = {job.name: job for job in known.values()} | known | self._held()
        if name not in called:
            raise UsageError(f"no run here is named {name!r}; {meant(name, called) or 'there is ' + ', '.join(known)}")
        return called[name]

    def live(self, name: str | None, verb: str) -> "Job":
        """Find a run that has not ended.

        Args:
            name: As for `job`.
            verb: What is to be done with it.

        Returns:
            The run.

        Raises:
            UsageError: If there is none, or it has ended.
        """
        job, others = self.job(name), list(self.training())
        if job.state not in _ENDED:
            return job
        instead = f"training are {', '.join(others)}" if others else "train again with: %vflow run task"
        raise UsageError(f"run {job.name!r} is {job.state}, so there is nothing to {verb}; {instead}")

    def known(self) -> dict[str, "Job"]:
        """Name every run of this notebook: those in variables, then those that `%vflow run` started.

        Returns:
            The runs by the name that the user knows each by, the newest last.
        """
        started = {id(job) for job in self.jobs.values()}
        return {name: job for name, job in self._held().items() if id(job) not in started} | self.jobs

    def training(self) -> dict[str, "Job"]:
        """Name the runs that have begun and not ended.

        Returns:
            As `known`.
        """
        return {name: job for name, job in self.known().items() if job.state not in ("new", *_ENDED)}

    def keep(self, job: "Job", name: str | None) -> None:
        """Remember a run as the newest, and give it to the user under the name that they chose.

        Args:
            job: Started.
            name: The user's; None where they chose none, and then no variable is touched.
        """
        self.jobs.pop(name or job.name, None)
        self.jobs[name or job.name] = job
        if name is not None and name.isidentifier():
            self.names[name] = job

    def _held(self) -> dict[str, "Job"]:
        """Name the runs that are in variables."""
        from vfnb.session import Job

        return {name: self.names[name] for name in self.of_kind(Job)}


def meant(name: str, there: Iterable[str]) -> str | None:
    """Say what a misspelt name may have meant.

    Args:
        name: As it was written.
        there: The names that there are.

    Returns:
        The nearest, as a question; None where none is near.
    """
    close = get_close_matches(name, list(there), n=1)
    return f"did you mean {close[0]}?" if close else None


def once(shell: Any, value: Any, show: Callable[[], Any]) -> None:
    """Show a value in a way of its own, and keep the present cell from printing it once more.

    Args:
        shell: IPython's.
        value: What the cell may end with.
        show: Shows it.
    """
    show()
    if not hasattr(shell, "kernel"):
        return  # a terminal's Out line says what the value is

    def after() -> None:
        vars(value).pop("_ipython_display_", None)
        shell.events.unregister("post_execute", after)

    # IPython asks a value for this before anything else.
    value._ipython_display_ = lambda: None
    shell.events.register("post_execute", after)
