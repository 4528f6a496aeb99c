"""The floor everything stands on: errors, even shares, clocks, platforms; no torch and nothing of ours below it."""

from vfnb.ground.clock import Clock, ManualClock, SystemClock
from vfnb.ground.errors import (
    CheckpointError,
    PlanError,
    SpecError,
    StateError,
    TrainingError,
    VfnbError,
    WorkerLostError,
)
from vfnb.ground.faces import face, has_face
from vfnb.ground.platform import check_platform
from vfnb.ground.shares import even_shares, share_range

__all__ = [
    "CheckpointError",
    "Clock",
    "ManualClock",
    "PlanError",
    "SpecError",
    "StateError",
    "SystemClock",
    "TrainingError",
    "VfnbError",
    "WorkerLostError",
    "check_platform",
    "even_shares",
    "face",
    "has_face",
    "share_range",
]
