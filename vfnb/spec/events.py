"""What happens to a job, as values: an event carries its step and is told apart by its type.

`at` is Unix seconds and takes no part in equality, so that two runs can be compared event by event.
Devices are named as `str(Device)` prints them.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class _Happened:
    """What every event has: the newest committed step, and when it was."""

    step: int
    at: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerJoined(_Happened):
    """A worker is ready and takes part."""

    worker: int
    pid: int
    device: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLost(_Happened):
    """A worker ended or froze; the others go on without it."""

    worker: int
    device: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered(_Happened):
    """The survivors of a loss train again; `downtime` is seconds from commit to commit."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    downtime: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Resized(_Happened):
    """The job trains on other workers as asked; `downtime` is seconds from commit to commit."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    downtime: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebalanced(_Happened):
    """Workers' measured speeds made a move worth it, and `Options(rebalance="auto")` asked for it.

    `before` and `after` are virtual nodes, in the order of `workers`; `saving` is the share of a step's time that is
    predicted to be saved.
    """

    workers: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    saving: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRedone(_Happened):
    """A step was computed again because these tensors' gradients exceeded their capacity."""

    tensors: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepSkipped(_Happened):
    """A step changed nothing: `what` was not finite (first in `node`), or nothing had weight."""

    node: int | None
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated(_Happened):
    """The evaluation data were gone through after `step`."""

    metrics: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointSaved(_Happened):
    """A checkpoint is complete at `path`; `fingerprint` is that of its step, empty where it is not known."""

    path: str
    fingerprint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointFailed(_Happened):
    """A checkpoint could not be written; the older ones stand."""

    path: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused(_Happened):
    """The job stands still after `step`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(_Happened):
    """The job goes on after `step`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfMemory(_Happened):
    """A pass did not fit its device and the job pauses. `message` has the sizes and what to try."""

    worker: int
    device: str
    node: int | None
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodesPerPassChosen(_Happened):
    """`Options(nodes_per_pass="auto")` was settled before the first step; the number is part of what the run is."""

    nodes_per_pass: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodesPerPassHalved(_Happened):
    """A pass did not fit its device: from `step` on, this one included, so many virtual nodes are computed at once."""

    nodes_per_pass: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NotGuaranteed(_Happened):
    """The same bits are no longer promised: `what` causes it, `reason` says why."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackFailed(_Happened):
    """The user's `on_event` raised; training goes on."""

    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned(_Happened):
    """Something the user should know, in a sentence."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped(_Happened):
    """The job ended early, as asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished(_Happened):
    """The job trained all of its steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(_Happened):
    """The job ended with an error."""

    error: str


Event = (
    WorkerJoined
    | WorkerLost
    | Recovered
    | Resized
    | Rebalanced
    | StepRedone
    | StepSkipped
    | Evaluated
    | CheckpointSaved
    | CheckpointFailed
    | Paused
    | Resumed
    | OutOfMemory
    | NodesPerPassChosen
    | NodesPerPassHalved
    | NotGuaranteed
    | CallbackFailed
    | Warned
    | Stopped
    | Finished
    | Failed
)
