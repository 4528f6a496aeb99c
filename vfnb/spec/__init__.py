"""The nouns of a run as frozen, checked records, the accelerator catalogue, and their text form; no torch."""

from vfnb.spec.accelerator import Accelerator, accelerators, find_accelerator
from vfnb.spec.cluster import VirtualCluster
from vfnb.spec.device import Device, Kind
from vfnb.spec.events import (
    CallbackFailed,
    CheckpointFailed,
    CheckpointSaved,
    Evaluated,
    Event,
    Failed,
    Finished,
    NodesPerPassChosen,
    NodesPerPassHalved,
    NotGuaranteed,
    OutOfMemory,
    Paused,
    Rebalanced,
    Recovered,
    Resized,
    Resumed,
    StepRedone,
    StepSkipped,
    Stopped,
    Warned,
    WorkerJoined,
    WorkerLost,
)
from vfnb.spec.layout import Layout
from vfnb.spec.mapping import Mapping
from vfnb.spec.options import TRACKERS, Options
from vfnb.spec.profile import DeviceProfile, Point, Profile
from vfnb.spec.row import Row
from vfnb.spec.speeds import Speed, Speeds
from vfnb.spec.stage import Stage
from vfnb.spec.weighted import Weighted
from vfnb.spec.wire import Record, from_json, to_json

__all__ = [
    "TRACKERS",
    "Accelerator",
    "CallbackFailed",
    "CheckpointFailed",
    "CheckpointSaved",
    "Device",
    "DeviceProfile",
    "Evaluated",
    "Event",
    "Failed",
    "Finished",
    "Kind",
    "Layout",
    "Mapping",
    "NodesPerPassChosen",
    "NodesPerPassHalved",
    "NotGuaranteed",
    "Options",
    "OutOfMemory",
    "Paused",
    "Point",
    "Profile",
    "Rebalanced",
    "Record",
    "Recovered",
    "Resized",
    "Resumed",
    "Row",
    "Speed",
    "Speeds",
    "Stage",
    "StepRedone",
    "StepSkipped",
    "Stopped",
    "VirtualCluster",
    "Warned",
    "Weighted",
    "WorkerJoined",
    "WorkerLost",
    "accelerators",
    "find_accelerator",
    "from_json",
    "to_json",
]
