"""Public doubles: scripts of faults that strike a job's workers at named points, for your tests and ours."""

from vfnb.testing.faults import Fault, FaultScript

__all__ = ["Fault", "FaultScript"]
