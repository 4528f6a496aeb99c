"""What a job has learned so far: its newest committed state, the fingerprint, and a model of it."""

from copy import deepcopy

from torch import nn

from vfnb.ground import StateError, WorkerLostError
from vfnb.runtime import Run, Snapshot, fingerprint_of, load_into
from vfnb.session.ledger import Ledger
from vfnb.session.prepared import Prepared


class Learned:
    """A job's state, asked for when somebody wants it.

    Args:
        prepared: What the job begins with.
        ledger: Tells whether it has begun, and ended.

    Attributes:
        run: The started run; None before, and while it trains inside `start`.
    """

    def __init__(self, prepared: Prepared, ledger: Ledger) -> None:
        self._prepared, self._ledger = prepared, ledger
        self.run: Run | None = None
        self._known: tuple[str, str] | None = None  # a state in which nothing moves, and its fingerprint

    def state(self) -> Snapshot:
        """Read the newest committed state, at the next step boundary where the job is training.

        Returns:
            The state, on the CPU.

        Raises:
            StateError: If the job is training in another call's hands, or ended without a state.
        """
        if self.run is not None:
            return newest_state(self.run)
        state = self._ledger.status.state
        if state == "new":
            return self._prepared.state
        raise StateError(f"the job is {state} and has no state to give; with engine='inline' wait until start returns")

    def fingerprint(self) -> str:
        """Digest the newest committed state.

        Returns:
            64 hexadecimal digits.
        """
        known = self.settled_fingerprint()
        return fingerprint_of(self.state()) if known is None else known

    def settled_fingerprint(self) -> str | None:
        """Digest the state of a job that does not move, once.

        Returns:
            64 hexadecimal digits; None while it trains.
        """
        state = self._ledger.status.state
        if not (state == "new" or self._ledger.ended):
            return None
        if self._known is None or self._known[0] != state:
            self._known = (state, fingerprint_of(self.state()))
        return self._known[1]

    def model(self) -> nn.Module:
        """Make a copy of the job's model with the newest committed weights and buffers.

        Returns:
            The copy, on the CPU, in evaluation mode where the user's own was.
        """
        blueprint = self._prepared.blueprint
        copy = deepcopy(blueprint.model)
        load_into(copy, self.state())
        return copy.eval() if blueprint.evaluating else copy


def newest_state(run: Run) -> Snapshot:
    """Read a run's state at its next step boundary, or where it ended.

    Args:
        run: A started run.

    Returns:
        The state, on the CPU.

    Raises:
        WorkerLostError: If no worker has a state left to give.
    """
    try:
        return run.snapshot().result()
    except WorkerLostError:
        if not run.join(0):
            raise
        # It ended between the question and the answer: now it answers from what was handed over.
        return run.snapshot().result()
