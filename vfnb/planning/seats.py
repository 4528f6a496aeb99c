"""Seating blocks on workers that have room, leaving as many as possible where they are."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from vfnb.ground import PlanError
from vfnb.spec import Layout


def check_workers(layout: Layout, workers: Sequence[int]) -> None:
    """Refuse workers that no mapping of `layout` can have.

    Args:
        layout: The blocks to be mapped.
        workers: The workers' ids.

    Raises:
        PlanError: If there is none, one stands twice, or there are more than blocks to begin with.
    """
    if not workers:
        raise PlanError("no worker is left to map the virtual nodes to; give at least one")
    if len(set(workers)) < len(workers):
        raise PlanError(f"workers={list(workers)} names a worker twice; name each once")
    most = layout.most_workers
    if len(workers) > most:
        nodes = most * layout.nodes // layout.blocks if layout.later else layout.nodes
        begins = " that the job begins with" if layout.later else ""
        raise PlanError(
            f"{len(workers)} workers cannot share {nodes} virtual nodes in {most} blocks{begins}, "
            f"which move as a whole; use at most {most} workers, or a new job with {_more_blocks(nodes, len(workers))}"
        )


def _more_blocks(nodes: int, workers: int) -> str:
    if workers > nodes:
        return f"at least {workers} virtual nodes"
    return f"Options(blocks={workers}) or more"


def seat(blocks: Iterable[int], room: Mapping[int, int], home: Mapping[int, int]) -> dict[int, list[int]]:
    """Give each block a worker, at home where there is room.

    Args:
        blocks: The blocks, ascending.
        room: How many blocks each worker takes; as many as there are blocks in sum.
        home: The worker that a block would rather be on; it need not be in `room`.

    Returns:
        The blocks of each worker in `room`.
    """
    seated: dict[int, list[int]] = {worker: [] for worker in sorted(room)}
    homeless = []
    for block in blocks:
        worker = home.get(block)
        if worker in seated and len(seated[worker]) < room[worker]:
            seated[worker].append(block)
        else:
            homeless.append(block)
    free = [worker for worker, owned in seated.items() for _ in range(room[worker] - len(owned))]
    assert len(free) == len(homeless), f"room for {len(free)} blocks where {len(homeless)} need one"
    for block, worker in zip(homeless, free, strict=True):
        seated[worker].append(block)
    return seated


def pairs(*parts: Mapping[int, Collection[int]]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Join seatings into what a Mapping is made of.

    Args:
        *parts: Seatings of different blocks.

    Returns:
        Pairs of a worker and its blocks.
    """
    workers = sorted({worker for part in parts for worker in part})
    owned = {worker: tuple(block for part in parts for block in part.get(worker, ())) for worker in workers}
    return tuple(owned.items())
