"""Which worker gets which virtual nodes: pure functions from mappings and measurements to mappings."""

from vfnb.planning.counts import by_counts
from vfnb.planning.even import even, remap
from vfnb.planning.mixed.fastest import fastest
from vfnb.planning.mixed.solve import Rule, price, solve
from vfnb.planning.mixed.split import Part, Split
from vfnb.planning.moves import Move, moves

__all__ = ["Move", "Part", "Rule", "Split", "by_counts", "even", "fastest", "moves", "price", "remap", "solve"]
