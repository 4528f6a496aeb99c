"""The errors a user can meet; each message says what is wrong, the value, and the remedy."""


class VfnbError(Exception):
    """The root of every error that vfnb raises on purpose."""


class SpecError(VfnbError, ValueError):
    """A description (cluster, device, option, text on the wire) is wrong."""


class PlanError(VfnbError, ValueError):
    """A mapping of virtual nodes to workers that cannot be."""


class StateError(VfnbError, RuntimeError):
    """A verb that is not possible in the job's present state."""


class TrainingError(VfnbError, RuntimeError):
    """The user's own code failed while a job was training.

    It survives pickling, so that a worker can send it to the driver.

    Args:
        message: What failed, in one sentence.
        step: The step that was being computed, counted from 1, where known.
        node: The virtual node whose pass failed, where known.
        worker: The id of the worker it ran on, where known.
        traceback: The user's traceback as text, "" where there is none.
    """

    def __init__(
        self,
        message: str,
        *,
        step: int | None = None,
        node: int | None = None,
        worker: int | None = None,
        traceback: str = "",
    ) -> None:
        super().__init__(message)
        self.step = step
        self.node = node
        self.worker = worker
        self.traceback = traceback


class WorkerLostError(VfnbError, RuntimeError):
    """No worker is left to go on with."""


class CheckpointError(VfnbError, RuntimeError):
    """A checkpoint is corrupt, or belongs to another job."""
