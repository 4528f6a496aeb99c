"""What can be read of a job: cached values, so that no cell waits for the workers to be told how it stands."""

from typing import TYPE_CHECKING

from torch import nn

from vfnb.ground import face, has_face
from vfnb.runtime import Sign, State, Worker
from vfnb.session import card
from vfnb.session.learned import Learned
from vfnb.session.ledger import Ledger
from vfnb.session.prepared import Prepared
from vfnb.spec import Event, Mapping, VirtualCluster

if TYPE_CHECKING:
    import pandas as pd


class Readings:
    """The readable side of a `Job`; only `fingerprint` and `model` wait, one step at most."""

    name: str
    steps: int
    cluster: VirtualCluster
    _ledger: Ledger
    _learned: Learned
    _prepared: Prepared

    @property
    def state(self) -> State:
        """Where the job stands, in a word: "new", "starting", "running", "paused", ... "done"."""
        return self._ledger.status.state

    @property
    def step(self) -> int:
        """The last committed step; 0 before the first."""
        return self._ledger.status.step

    @property
    def identity(self) -> str:
        """SHA-256 of what the job is, wherever it runs: the same for a job that would compute the same."""
        return self._prepared.identity.digest

    @property
    def workers(self) -> tuple[Worker, ...]:
        """The live workers in the order of ids: id, pid, device, virtual_nodes."""
        return () if self._ledger.ended else self._ledger.status.workers

    @property
    def mapping(self) -> Mapping | None:
        """Which virtual nodes are where; None before the start and after the end."""
        return None if self._ledger.ended else self._ledger.status.mapping

    @property
    def activity(self) -> dict[int, Sign]:
        """What each worker does right now, by id: phase, step, node, and the seconds that a pass takes."""
        return {} if self._learned.run is None else self._learned.run.activity()

    @property
    def history(self) -> "pd.DataFrame":
        """A row a committed step: step, epoch, loss, lr, samples_per_second, workers, and further columns.

        Metrics stand in the row of the step they were measured after, the evaluation's loss as
        `evaluation_loss`.
        """
        return self._ledger.history()

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened, in order: `Resized`, `WorkerLost`, `Evaluated`, ..."""
        return self._ledger.events

    @property
    def fingerprint(self) -> str:
        """SHA-256 over parameters, buffers and optimizer state at the last committed step, 64 hex digits."""
        return self._learned.fingerprint()

    @property
    def fingerprint_notes(self) -> tuple[str, ...]:
        """Why another run of this job may have another fingerprint; empty where the bits are promised."""
        return self._ledger.notes

    @property
    def model(self) -> nn.Module:
        """A copy of the task's model with the newest committed weights, on the CPU."""
        return self._learned.model()

    def __repr__(self) -> str:
        return card.line(self.name, self._ledger.status, self._ledger.last, self.steps, str(self.cluster))

    def _repr_html_(self) -> str:
        # What is shown must not fail, nor wait for workers.
        known = self._learned.settled_fingerprint() if self.state in ("done", "stopped") else None
        return card.table(self.name, self._ledger.status, self._ledger.last, self.steps, str(self.cluster), known)

    def _ipython_display_(self) -> None:
        if self.state == "new" or not has_face("dashboard"):
            raise NotImplementedError  # so IPython is told to take the representations above
        face("dashboard")(self)._ipython_display_()
