"""Which worker gets which virtual nodes, and how many are computed at once: pure functions of records."""

from vfnb.planning.counts import by_counts
from vfnb.planning.even import even, remap
from vfnb.planning.moves import Move, moves
from vfnb.planning.together import Choice, Plan, best, candidates, choice_of, sizes_to

__all__ = [
    "Choice",
    "Move",
    "Plan",
    "best",
    "by_counts",
    "candidates",
    "choice_of",
    "even",
    "moves",
    "remap",
    "sizes_to",
]
