"""Which worker owns which blocks: people see and set it in virtual nodes."""

from collections import Counter
from dataclasses import dataclass

from vfnb.ground import PlanError
from vfnb.spec.layout import Layout


@dataclass(frozen=True, slots=True)
class Mapping:
    """Every block of a layout on exactly one worker, and no worker without a block to begin with.

    Args:
        layout: The blocks that are mapped.
        blocks: Pairs of a worker's id and its blocks, in any order; kept sorted.

    Raises:
        PlanError: If a block is missing, doubled or unknown, or a worker is doubled or has no block of those that the
            job begins with.
    """

    layout: Layout
    blocks: tuple[tuple[int, tuple[int, ...]], ...]

    def __post_init__(self) -> None:
        pairs = tuple(sorted((worker, tuple(sorted(owned))) for worker, owned in self.blocks))
        object.__setattr__(self, "blocks", pairs)
        _check_workers(self.layout, pairs)
        _check_blocks(self.layout, pairs)

    @property
    def workers(self) -> tuple[int, ...]:
        """The workers' ids, ascending."""
        return tuple(worker for worker, _ in self.blocks)

    @property
    def counts(self) -> dict[int, int]:
        """How many virtual nodes each worker owns."""
        sizes = self.layout.sizes
        return {worker: sum(sizes[block] for block in owned) for worker, owned in self.blocks}

    def at(self, step: int) -> "Mapping":
        """Give the part of it that a step computes.

        Args:
            step: The step, from 1.

        Returns:
            The mapping of the blocks that are there by then, over the same workers; this one where all are.
        """
        layout = self.layout.at(step)
        if layout is self.layout:
            return self
        there = tuple((worker, tuple(one for one in owned if one < layout.blocks)) for worker, owned in self.blocks)
        return Mapping(layout, there)

    def blocks_of(self, worker: int) -> tuple[int, ...]:
        """Give a worker's blocks.

        Args:
            worker: The worker's id.

        Returns:
            Its blocks, ascending.

        Raises:
            PlanError: If the worker has no part in this mapping.
        """
        for one, owned in self.blocks:
            if one == worker:
                return owned
        raise PlanError(f"worker {worker} is not in this mapping; its workers are {_listed(self.workers)}")

    def nodes_of(self, worker: int) -> tuple[int, ...]:
        """Give a worker's virtual nodes; a worker that has no part here is a PlanError.

        Args:
            worker: The worker's id.

        Returns:
            Its nodes, ascending.
        """
        return tuple(node for block in self.blocks_of(worker) for node in self.layout.nodes_of(block))


def _check_workers(layout: Layout, pairs: tuple[tuple[int, tuple[int, ...]], ...]) -> None:
    if not pairs:
        raise PlanError("a mapping needs at least one worker; none was given")
    doubled = [worker for worker, times in Counter(worker for worker, _ in pairs).items() if times > 1]
    if doubled:
        raise PlanError(f"worker {_listed(doubled)} stands twice in the mapping; name each worker once")
    idle = [worker for worker, owned in pairs if not owned or owned[0] >= layout.most_workers]
    if idle:
        begins = " to begin with" if layout.later else ""
        raise PlanError(f"worker {_listed(idle)} has no virtual nodes{begins}; give it some or leave it out")


def _check_blocks(layout: Layout, pairs: tuple[tuple[int, tuple[int, ...]], ...]) -> None:
    times = Counter(block for _, owned in pairs for block in owned)
    unknown = sorted(block for block in times if not 0 <= block < layout.blocks)
    if unknown:
        raise PlanError(f"block {_listed(unknown)} does not exist; there are blocks 0 to {layout.blocks - 1}")
    doubled = sorted(block for block, number in times.items() if number > 1)
    if doubled:
        nodes = [node for block in doubled for node in layout.nodes_of(block)]
        raise PlanError(f"virtual node {_listed(nodes)} is mapped twice; map each to exactly one worker")
    missing = [node for block in range(layout.blocks) if block not in times for node in layout.nodes_of(block)]
    if missing:
        raise PlanError(f"virtual node {_listed(missing)} is on no worker; map each to exactly one worker")


def _listed(numbers: list[int] | tuple[int, ...], most: int = 8) -> str:
    shown = ", ".join(str(number) for number in numbers[:most])
    return shown if len(numbers) <= most else f"{shown} and {len(numbers) - most} more"
