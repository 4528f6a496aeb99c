"""How virtual nodes are cut into blocks: consecutive nodes that always move together.

Where a job's batch grows, its layout is that of the largest batch from the start, and its last blocks come in later.
"""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Self

from vfnb.ground import SpecError, even_shares, share_range
from vfnb.spec.checks import check_count

_DEFAULT_BLOCKS = 32


@dataclass(frozen=True, slots=True)
class Layout:
    """Virtual nodes 0 to `nodes - 1` in `blocks` consecutive blocks whose sizes differ by at most one.

    Args:
        nodes: How many virtual nodes, 1 or more.
        blocks: How many blocks, from 1 to `nodes`.
        later: Pairs of a step and how many blocks come in at it, ascending; the last blocks come in last. All
            blocks then have one size.
        samples: How many samples of a full batch each virtual node has; () for shares that differ by at most one.

    Raises:
        SpecError: If a number is out of its bounds.
    """

    nodes: int
    blocks: int
    later: tuple[tuple[int, int], ...] = ()
    samples: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_count("nodes", self.nodes)
        check_count("blocks", self.blocks)
        if self.blocks > self.nodes:
            raise SpecError(
                f"blocks={self.blocks} is more than the {self.nodes} virtual nodes; "
                f"give at most {self.nodes}, or more virtual nodes"
            )
        for count in self.samples:
            check_count("a virtual node's samples", count)
        if self.samples and len(self.samples) != self.nodes:
            raise SpecError(f"{len(self.samples)} sizes are not one for each of {self.nodes} virtual nodes")
        if self.later:
            _check_later(self)

    @classmethod
    def of(cls, nodes: int, blocks: int | None = None, *, nodes_per_pass: int = 1) -> Self:
        """Make a layout, by default of 32 blocks, or of fewer where they would have less than a pass.

        Numbers out of their bounds are a SpecError.

        Args:
            nodes: How many virtual nodes, 1 or more.
            blocks: How many blocks, or None for the default.
            nodes_per_pass: Virtual nodes computed at once; a pass lies in one block.

        Returns:
            The layout.
        """
        check_count("nodes", nodes)
        check_count("nodes_per_pass", nodes_per_pass)
        return cls(nodes, min(-(-nodes // nodes_per_pass), _DEFAULT_BLOCKS) if blocks is None else blocks)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many virtual nodes each block has."""
        return even_shares(self.nodes, self.blocks)

    @property
    def generations(self) -> tuple[range, ...]:
        """The blocks that a job begins with, then those that come in at each later step."""
        added = [count for _, count in self.later]
        return tuple(range(*ends) for ends in pairwise(accumulate([self.most_workers, *added], initial=0)))

    @property
    def most_workers(self) -> int:
        """How many workers there can be: each has one of the blocks that the job begins with."""
        return self.blocks - sum(count for _, count in self.later)

    def at(self, step: int) -> "Layout":
        """Give the part of it that a step computes.

        Args:
            step: The step, from 1.

        Returns:
            The layout of the blocks that are there by then; this one where all are.
        """
        missing = sum(count for since, count in self.later if since > step)
        if not missing:
            return self
        blocks = self.blocks - missing
        there = tuple(one for one in self.later if one[0] <= step)
        return Layout(blocks * (self.nodes // self.blocks), blocks, there)

    def nodes_of(self, block: int) -> range:
        """Give a block's virtual nodes.

        Args:
            block: The block, from 0 to `blocks - 1`.

        Returns:
            Its nodes, consecutive.

        Raises:
            SpecError: If there is no such block.
        """
        if not 0 <= block < self.blocks:
            raise SpecError(f"block={block} does not exist; there are blocks 0 to {self.blocks - 1}")
        return share_range(self.nodes, self.blocks, block)

    def positions(self, batch: int, nodes: range) -> range:
        """Give the positions of a step's batch that consecutive virtual nodes own.

        Nodes follow each other in the batch and cover it. A short batch is cut in proportion.

        Args:
            batch: How many samples the step has.
            nodes: The virtual nodes, one or more.

        Returns:
            Their positions, empty where they get nothing.
        """
        if not self.samples:
            first, last = (share_range(batch, self.nodes, node) for node in (nodes[0], nodes[-1]))
            return range(first.start, last.stop)
        total, before = sum(self.samples), sum(self.samples[: nodes.start])
        upto = before + sum(self.samples[nodes.start : nodes.stop])
        return range(batch * before // total, batch * upto // total)

    def block_of(self, node: int) -> int:
        """Find the block that a virtual node belongs to.

        Args:
            node: The virtual node, from 0 to `nodes - 1`.

        Returns:
            The block.

        Raises:
            SpecError: If there is no such node.
        """
        if not 0 <= node < self.nodes:
            raise SpecError(f"node={node} does not exist; there are virtual nodes 0 to {self.nodes - 1}")
        return bisect_right(range(self.blocks), node, key=lambda block: self.nodes_of(block).start) - 1


def _check_later(layout: Layout) -> None:
    for step, count in layout.later:
        check_count("the step at which blocks come in", step, 2)
        check_count(f"blocks that come in at step {step}", count)
    steps = [step for step, _ in layout.later]
    if steps != sorted(set(steps)):
        raise SpecError(f"blocks come in at the steps {steps}; name each step once, ascending")
    if layout.most_workers < 1:
        raise SpecError(f"all {layout.blocks} blocks come in later; leave one at least to begin with")
    if layout.nodes % layout.blocks:
        raise SpecError(
            f"{layout.nodes} virtual nodes in {layout.blocks} blocks are not of one size, which blocks are where some "
            "come in later; give a number of blocks that divides them"
        )
