"""Which worker gets which virtual nodes, and what a run takes on its target or here: pure functions of records."""

from vfnb.planning.counts import by_counts
from vfnb.planning.even import even, remap
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
    "Plan",
    "Precision",
    "Product",
    "Range",
    "Rates",
    "Room",
    "Workload",
    "batch_of",
    "best",
    "by_counts",
    "candidates",
    "choice_of",
    "estimate_known",
    "even",
    "forecast",
    "known",
    "known_models",
    "memory_of",
    "moves",
    "named",
    "plain",
    "precision_for",
    "remap",
    "sizes_to",
]
