"""Even mappings: for any number of workers, and for those who are left after a loss."""

from collections.abc import Collection, Sequence
from collections.abc import Mapping as Table

from vfnb.ground import even_shares
from vfnb.planning.moves import homes
from vfnb.planning.seats import check_workers, pairs, seat
from vfnb.planning.shares import shared
from vfnb.spec import Layout, Mapping


def even(layout: Layout, workers: Sequence[int], near: Mapping | None = None) -> Mapping:
    """Map blocks evenly: at every step, workers' numbers of blocks differ by at most one.

    Without `near`, each worker gets consecutive blocks in the order of ids, of those that come in together. With it,
    no even mapping moves fewer blocks away from their present worker where all are there from the start. A PlanError
    says what cannot be: no worker, one that stands twice, more than there are blocks, or a `near` of another layout.

    Args:
        layout: The blocks to map.
        workers: The workers' ids, in any order.
        near: The present mapping, which may have other workers.

    Returns:
        The mapping.
    """
    check_workers(layout, workers)
    home = {} if near is None else homes(near, layout)
    return Mapping(layout, pairs(*shared(layout, dict.fromkeys(workers, 1), home)))


def remap(mapping: Mapping, lost: Collection[int]) -> Mapping:
    """Let the survivors of a loss take over: they keep their blocks and share the lost workers' evenly.

    Who owns the fewest virtual nodes gets the extras, also among blocks that come in later. That nobody survives is a
    PlanError.

    Args:
        mapping: The mapping before the loss.
        lost: The workers that are gone; others than the mapping's are ignored.

    Returns:
        The survivors' mapping.
    """
    layout, sizes = mapping.layout, mapping.layout.sizes
    kept = {worker: mapping.blocks_of(worker) for worker in mapping.workers if worker not in lost}
    check_workers(layout, list(kept))
    orphans = [block for worker, owned in mapping.blocks if worker in lost for block in owned]
    parts: list[Table[int, Collection[int]]] = [kept]
    for generation in layout.generations:
        there = {worker: [one for part in parts for one in part[worker] if one < generation.stop] for worker in kept}
        fewest = sorted(kept, key=lambda worker: sum(sizes[block] for block in there[worker]))
        shared_out = sorted(block for block in orphans if block in generation)
        room = dict(zip(fewest, even_shares(len(shared_out), len(fewest)), strict=True))
        parts.append(seat(shared_out, room, {}))
    return Mapping(layout, pairs(*parts))
