"""Mappings, splits, plans, schedules of jobs, and what a run takes on its target: pure functions of records."""

from vfnb.planning.counts import by_counts
from vfnb.planning.even import even, remap
from vfnb.planning.mixed.balance import Balance, Outlook, Window
from vfnb.planning.mixed.fastest import fastest, levelled
from vfnb.planning.mixed.solve import Rule, price, solve
from vfnb.planning.mixed.split import Part, Split
from vfnb.planning.moves import Move, moves
from vfnb.planning.scheduling import (
    Bundle,
    Claim,
    Costs,
    Decision,
    Policy,
    Progress,
    RateOf,
    Scaling,
    State,
    bundle,
    decided,
    devices_in,
    fair_share,
    find_policy,
    linear_scaling,
    policies,
)
from vfnb.planning.target.bill import Bill, Length, Rates
from vfnb.planning.target.card import Estimate, duration, plain
from vfnb.planning.target.forecast import estimate_known, forecast, named
from vfnb.planning.target.here import step_measured, step_under
from vfnb.planning.target.known import known, known_models
from vfnb.planning.target.memory import Memory, Room, memory_of
from vfnb.planning.target.reach import Curve, Reach, curves
from vfnb.planning.target.roofline import Roof, precision_for, roof_of
from vfnb.planning.target.steptime import Range, batch_of
from vfnb.planning.target.workload import Precision, Product, Workload
from vfnb.planning.together import Choice, Plan, Share, best, candidates, choice_of, share_of, sizes_to

__all__ = [
    "Balance",
    "Bill",
    "Bundle",
    "Choice",
    "Claim",
    "Costs",
    "Curve",
    "Decision",
    "Estimate",
    "Length",
    "Memory",
    "Move",
    "Outlook",
    "Part",
    "Plan",
    "Policy",
    "Precision",
    "Product",
    "Progress",
    "Range",
    "RateOf",
    "Rates",
    "Reach",
    "Roof",
    "Room",
    "Rule",
    "Scaling",
    "Share",
    "Split",
    "State",
    "Window",
    "Workload",
    "batch_of",
    "best",
    "bundle",
    "by_counts",
    "candidates",
    "choice_of",
    "curves",
    "decided",
    "devices_in",
    "duration",
    "estimate_known",
    "even",
    "fair_share",
    "fastest",
    "find_policy",
    "forecast",
    "known",
    "known_models",
    "levelled",
    "linear_scaling",
    "memory_of",
    "moves",
    "named",
    "plain",
    "policies",
    "precision_for",
    "price",
    "remap",
    "roof_of",
    "share_of",
    "sizes_to",
    "solve",
    "step_measured",
    "step_under",
]
