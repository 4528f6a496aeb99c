"""Who gets which devices: scheduling policies, pure functions of a state, for the simulator and a live pool alike."""

from vfnb.planning.scheduling.fair_share import Weighted, fair_share, shares
from vfnb.planning.scheduling.rates import Bundle, RateOf, Rates, bundle, linear, size
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
    "Rates",
    "State",
    "Weighted",
    "bundle",
    "decided",
    "fair_share",
    "find_policy",
    "linear",
    "policies",
    "shares",
    "size",
]
