"""Who gets what: virtual nodes on workers, and devices for jobs; pure functions."""

from vfnb.planning.counts import by_counts
from vfnb.planning.even import even, remap
from vfnb.planning.moves import Move, moves
from vfnb.planning.scheduling import (
    Bundle,
    Claim,
    Costs,
    Decision,
    Policy,
    Progress,
    RateOf,
    Rates,
    State,
    bundle,
    decided,
    fair_share,
    find_policy,
    linear,
    policies,
    size,
)

__all__ = [
    "Bundle",
    "Claim",
    "Costs",
    "Decision",
    "Move",
    "Policy",
    "Progress",
    "RateOf",
    "Rates",
    "State",
    "bundle",
    "by_counts",
    "decided",
    "even",
    "fair_share",
    "find_policy",
    "linear",
    "moves",
    "policies",
    "remap",
    "size",
]
