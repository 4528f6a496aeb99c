"""Public doubles for your tests and ours: scripts of faults that strike a job's workers, and devices made slower."""

from vfnb.testing.faults import Fault, FaultScript
from vfnb.testing.slower import slower

__all__ = ["Fault", "FaultScript", "slower"]
