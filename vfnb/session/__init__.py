"""Jobs: what to learn, on which virtual cluster, every verb of a run, and what it left on disk."""

from vfnb.runtime import devices
from vfnb.session.comparison import Comparison, compare
from vfnb.session.estimate import estimate
from vfnb.session.handle import Handle
from vfnb.session.job import Job
from vfnb.session.journal import replay
from vfnb.session.ledger import Ledger
from vfnb.session.plan import plan
from vfnb.session.pool.entry import PoolJob
from vfnb.session.pool.pool import Pool
from vfnb.session.profiling import profile
from vfnb.session.record import FOLDER
from vfnb.session.runs import runs
from vfnb.session.saved import SavedRun, open_run
from vfnb.session.sweeps.begin import sweep
from vfnb.session.sweeps.sweep import Sweep
from vfnb.session.task import Task
from vfnb.session.verification import Verdict, verify

__all__ = [
    "FOLDER",
    "Comparison",
    "Handle",
    "Job",
    "Ledger",
    "Pool",
    "PoolJob",
    "SavedRun",
    "Sweep",
    "Task",
    "Verdict",
    "compare",
    "devices",
    "estimate",
    "open_run",
    "plan",
    "profile",
    "replay",
    "runs",
    "sweep",
    "verify",
]
