"""Which passes a worker makes in a step: its blocks in order, and their virtual nodes in order."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from vfnb.spec import Layout


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One forward and backward pass.

    Attributes:
        block: The block that its gradient goes to.
        node: Its first virtual node; names its random stream.
        nodes: How many virtual nodes it computes.
        positions: Its samples within the step's batch.
    """

    block: int
    node: int
    nodes: int
    positions: range


@lru_cache(maxsize=64)  # asked each step; a job has few batch lengths, and mappings change rarely
def passes_of(layout: Layout, blocks: tuple[int, ...], batch: int, nodes_per_pass: int) -> tuple[Pass, ...]:
    """List the passes over some blocks, ascending; virtual nodes without samples make none.

    Args:
        layout: The virtual nodes and blocks of the step.
        blocks: Those of one worker; some may not have come in yet.
        batch: Samples in this step's batch.
        nodes_per_pass: Virtual nodes a pass; one that straddles blocks is cut.

    Returns:
        The passes.
    """
    found = []
    for block in blocks[: bisect_left(blocks, layout.blocks)]:
        nodes = layout.nodes_of(block)
        for first in range(nodes.start, nodes.stop, nodes_per_pass):
            last = min(first + nodes_per_pass, nodes.stop) - 1
            positions = layout.positions(batch, range(first, last + 1))
            if positions:
                found.append(Pass(block=block, node=first, nodes=last - first + 1, positions=positions))
    return tuple(found)


def by_block(passes: Sequence[Pass]) -> list[list[Pass]]:
    """Group passes by their block, keeping the order.

    Args:
        passes: As `passes_of` gives them.

    Returns:
        A list of passes a block.
    """
    groups: list[list[Pass]] = []
    for one in passes:
        if not groups or groups[-1][0].block != one.block:
            groups.append([])
        groups[-1].append(one)
    return groups
