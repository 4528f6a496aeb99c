"""What driver and workers say to each other, one frozen record a message, pickled over a socket of their own.

The driver sends `Command`s, a worker sends `Report`s. Both ends are this package; nothing else ever reads them.
"""

from dataclasses import dataclass
from typing import Literal

from vfnb.ground import TrainingError
from vfnb.spec import Event, Mapping, Row

Reason = Literal["ordered", "finished", "memory", "stop_when", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Form the group of a generation, and train.

    Attributes:
        generation: Never re-used.
        mapping: Its workers are the members; rank is the place of an id among them.
        store: A file of this generation alone.
        nccl: Whether sums run over nccl.
        patience: Seconds to wait for the others.
        order: Orders up to this number are not for this generation.
    """

    generation: int
    mapping: Mapping
    store: str
    nccl: bool
    patience: float
    order: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Park:
    """Leave training at the next boundary that all members agree on."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """Write the state: at the next agreed boundary while training, at once otherwise.

    Attributes:
        number: The order's number.
        writer: The worker that does it; the others go on.
        path: The state's file, or the run's folder for a checkpoint.
        checkpoint: Whether to write a numbered checkpoint below `path`.
    """

    number: int
    writer: int
    path: str
    checkpoint: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Take over the state in a file."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Abandon:
    """A member of this generation is gone: drop the step at hand and report `Stranded`."""

    generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """End the process."""


Order = Park | Write
Command = Form | Park | Write | Load | Abandon | Leave


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """A worker's first word.

    Attributes:
        pid: Its process.
    """

    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """The program is loaded and one pass has been tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Formed:
    """The group stands and training goes on."""

    generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A step as committed: its row, its events, and when on the machine's monotonic clock."""

    row: Row
    events: tuple[Event, ...]
    when: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """Steps that are committed everywhere or will be; sent by one member, see roll.py."""

    generation: int
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """Something a worker noticed outside the steps' records."""

    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Parked:
    """The worker stands at a boundary and has left its group."""

    generation: int
    step: int
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Stranded:
    """The worker's group is broken; it dropped the step at hand.

    Attributes:
        generation: The broken one.
        step: The last step its state holds; -1 where the state is unusable.
    """

    generation: int
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrote:
    """A state is written.

    Attributes:
        number: The order's.
        step: The state's.
        path: The file, or the checkpoint's folder.
        error: Why not, in words.
    """

    number: int
    step: int
    path: str
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The state is taken over."""

    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Broke:
    """The user's code failed here, or the worker could not begin."""

    error: TrainingError


Report = Hello | Ready | Formed | Committed | Happened | Parked | Stranded | Wrote | Loaded | Broke
