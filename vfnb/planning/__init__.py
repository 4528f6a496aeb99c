"""Mappings, splits, what is computed at once, and what a run takes on its target: pure functions of records."""

from vfnb.planning.counts import by_counts
from vfnb.planning.even import even, remap
from vfnb.planning.mixed.fastest import fastest
from vfnb.planning.mixed.solve import Rule, price, solve
from vfnb.planning.mixed.split import Part, Split
from vfnb.planning.moves import Move, moves
from vfnb.planning.target.bill import Bill, Length, Rates
from vfnb.planning.target.card import Estimate, plain
from vfnb.planning.target.forecast import estimate_known, forecast, named
from vfnb.planning.target.known import known, known_models
from vfnb.planning.target.memory import Memory, Room, memory_of
from vfnb.planning.target.roofline import precision_for
from vfnb.planning.target.steptime import Range, batch_of
from vfnb.planning.target.workload import Precision, Product, Workload
from vfnb.planning.together import Choice, Plan, best, candidates, choice_of, sizes_to

__all__ = [
    "Bill",
    "Choice",
    "Estimate",
    "Length",
    "Memory",
    "Move",
    "Part",
    "Plan",
    "Precision",
    "Product",
    "Range",
    "Rates",
    "Room",
    "Rule",
    "Split",
    "Workload",
    "batch_of",
    "best",
    "by_counts",
    "candidates",
    "choice_of",
    "estimate_known",
    "even",
    "fastest",
    "forecast",
    "known",
    "known_models",
    "memory_of",
    "moves",
    "named",
    "plain",
    "precision_for",
    "price",
    "remap",
    "sizes_to",
    "solve",
]
