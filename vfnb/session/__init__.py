"""Jobs: what to learn, on which virtual cluster, every verb of a run, and what it left on disk."""

from vfnb.runtime import devices
from vfnb.session.estimate import estimate
from vfnb.session.handle import Handle
from vfnb.session.job import Job
from vfnb.session.journal import replay
from vfnb.session.ledger import Ledger
from vfnb.session.runs import runs
from vfnb.session.task import Task

__all__ = ["Handle", "Job", "Ledger", "Task", "devices", "estimate", "replay", "runs"]
