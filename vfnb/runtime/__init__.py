"""Running programs: the step as a transaction, the engines that carry it out, and the state they hand over."""

from vfnb.runtime.board import Sign
from vfnb.runtime.counting import Counts, count
from vfnb.runtime.coupling import coupling
from vfnb.runtime.engine import Engine, Launch, Policy, Run, Sink, Snapshot, State, Status, Worker
from vfnb.runtime.gauge import Gauge
from vfnb.runtime.group import GroupError
from vfnb.runtime.inline import InlineEngine
from vfnb.runtime.local import LocalEngine
from vfnb.runtime.machine import cores, devices, memory_bytes
from vfnb.runtime.measuring import Reading, TooLarge
from vfnb.runtime.payload import shippable
from vfnb.runtime.probe import Probe
from vfnb.runtime.program import Batch, MapStyle, Program, Source
from vfnb.runtime.replica import initial_state, load_into
from vfnb.runtime.roll import not_guaranteed
from vfnb.runtime.roof import cpu_roof
from vfnb.runtime.snapshot import (
    Checkpoint,
    checkpoint_fingerprint,
    fingerprint_of,
    newest_checkpoint,
    read_checkpoint,
    write_checkpoint,
)
from vfnb.runtime.tracking import Trackers
from vfnb.runtime.trial import trial

__all__ = [
    "Batch",
    "Checkpoint",
    "Counts",
    "Engine",
    "Gauge",
    "GroupError",
    "InlineEngine",
    "Launch",
    "LocalEngine",
    "MapStyle",
    "Policy",
    "Probe",
    "Program",
    "Reading",
    "Run",
    "Sign",
    "Sink",
    "Snapshot",
    "Source",
    "State",
    "Status",
    "TooLarge",
    "Trackers",
    "Worker",
    "checkpoint_fingerprint",
    "cores",
    "count",
    "coupling",
    "cpu_roof",
    "devices",
    "fingerprint_of",
    "initial_state",
    "load_into",
    "memory_bytes",
    "newest_checkpoint",
    "not_guaranteed",
    "read_checkpoint",
    "shippable",
    "trial",
    "write_checkpoint",
]
