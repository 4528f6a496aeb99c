"""Which worker gets which virtual nodes: pure functions from mappings to mappings."""

from vfnb.planning.counts import by_counts
from vfnb.planning.even import even, remap
from vfnb.planning.moves import Move, moves

__all__ = ["Move", "by_counts", "even", "moves", "remap"]
