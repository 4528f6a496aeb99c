"""Who gets which devices: scheduling policies, pure functions of a state, for the simulator and a live pool alike."""

from vfnb.planning.scheduling.fair_share import Weighted, fair_share, shares
from vfnb.planning.scheduling.rates import Bundle, RateOf, Scaling, bundle, devices_in, linear_scaling
from vfnb.planning.scheduling.state import Claim, Costs, Decision, Policy, Progress, State, decided
from vfnb.planning.scheduling.table import find_policy, policies

__all__ = [
    "Bundle",
    "Claim",
    "Costs",
    "Decision",
    "Policy",
    "Progress",
    "RateOf",
    "Scaling",
    "State",
    "Weighted",
    "bundle",
    "decided",
    "devices_in",
    "fair_share",
    "find_policy",
    "linear_scaling",
    "policies",
    "shares",
]
