"""Sliders that share what there is: virtual nodes move in whole blocks, every worker keeps one, the sum stays."""

from collections.abc import Sequence
from itertools import accumulate

from vfnb.ground import even_shares
from vfnb.spec import Layout, Mapping

Blocks = tuple[int, ...]  # how many each worker has, in the order of ids


def blocks_of(mapping: Mapping) -> Blocks:
    """Count each worker's blocks.

    Args:
        mapping: The present one.

    Returns:
        Blocks by worker, in the order of ids.
    """
    return tuple(len(owned) for _, owned in mapping.blocks)


def coupled(blocks: Blocks, moved: int, wanted: int) -> Blocks:
    """Move one slider, and the others with it.

    What it gains comes from those that have the most, what it gives goes to those that have the fewest.

    Args:
        blocks: Before.
        moved: The slider's place.
        wanted: Where it was put; out of bounds it stays at the bound.

    Returns:
        Blocks of the same sum, each at least 1.
    """
    after = list(blocks)
    others = [place for place in range(len(blocks)) if place != moved]
    if not others:
        return blocks
    target = min(max(1, wanted), sum(blocks) - len(others))
    while after[moved] < target:
        after[max(others, key=after.__getitem__)] -= 1
        after[moved] += 1
    while after[moved] > target:
        after[min(others, key=after.__getitem__)] += 1
        after[moved] -= 1
    return tuple(after)


def evened(blocks: Blocks) -> Blocks:
    """Share the blocks evenly.

    Args:
        blocks: Before.

    Returns:
        Blocks that differ by at most one.
    """
    return even_shares(sum(blocks), len(blocks))


def nodes(layout: Layout, blocks: Blocks) -> tuple[int, ...]:
    """Say what blocks are in virtual nodes, cut one worker after another: blocks may differ by one in size.

    Args:
        layout: The job's virtual nodes and blocks.
        blocks: By worker, all of the layout's in sum.

    Returns:
        Virtual nodes by worker, a possible mapping's.
    """
    ends = list(accumulate(blocks))
    sizes = layout.sizes
    return tuple(sum(sizes[end - count : end]) for count, end in zip(blocks, ends, strict=True))


def counts(layout: Layout, workers: Sequence[int], blocks: Blocks) -> dict[int, int]:
    """Give the mapping that the sliders stand at, as a job takes it.

    Args:
        layout: The job's virtual nodes and blocks.
        workers: Their ids, ascending.
        blocks: By worker.

    Returns:
        Virtual nodes by worker.
    """
    return dict(zip(workers, nodes(layout, blocks), strict=True))
