"""What has to move between two mappings of one layout."""

from dataclasses import dataclass

from vfnb.ground import PlanError
from vfnb.spec import Layout, Mapping


@dataclass(frozen=True, slots=True)
class Move:
    """A block that changes its worker.

    Args:
        block: The block.
        source: The worker that owned it.
        target: The worker that owns it now.
    """

    block: int
    source: int
    target: int


def moves(before: Mapping, after: Mapping) -> tuple[Move, ...]:
    """List the blocks that change their worker; mappings of two different layouts are a PlanError.

    Args:
        before: The present mapping.
        after: The mapping that follows.

    Returns:
        The moves, by ascending block; empty where nothing changes.
    """
    source, target = homes(before, after.layout), homes(after, after.layout)
    return tuple(
        Move(block, source[block], target[block])
        for block in range(after.layout.blocks)
        if source[block] != target[block]
    )


def homes(mapping: Mapping, layout: Layout) -> dict[int, int]:
    """Tell each block's worker.

    Args:
        mapping: The mapping to read.
        layout: The layout it has to be a mapping of.

    Returns:
        The worker of each block.

    Raises:
        PlanError: If `mapping` maps another layout.
    """
    if mapping.layout != layout:
        raise PlanError(
            f"the mapping is of {mapping.layout.nodes} virtual nodes in {mapping.layout.blocks} blocks, not "
            f"of {layout.nodes} in {layout.blocks}; a job keeps its blocks, so map these"
        )
    return {block: worker for worker, owned in mapping.blocks for block in owned}
