"""Even mappings: for any number of workers, and for those who are left after a loss."""

from collections import Counter
from collections.abc import Collection, Sequence

from vfnb.ground import even_shares, share_range
from vfnb.planning.moves import homes
from vfnb.planning.seats import check_workers, pairs, seat
from vfnb.spec import Layout, Mapping


def even(layout: Layout, workers: Sequence[int], near: Mapping | None = None) -> Mapping:
    """Map blocks evenly: workers' numbers of blocks differ by at most one.

    Without `near`, each worker gets consecutive blocks in the order of ids. With it, no even mapping moves
    fewer blocks away from their present worker. A PlanError says what cannot be: no worker, one that stands
    twice, more than there are blocks, or a `near` of another layout.

    Args:
        layout: The blocks to map.
        workers: The workers' ids, in any order.
        near: The present mapping, which may have other workers.

    Returns:
        The mapping.
    """
    check_workers(layout, workers)
    ordered = sorted(workers)
    blocks = range(layout.blocks)
    if near is None:
        spans = {worker: share_range(layout.blocks, len(ordered), at) for at, worker in enumerate(ordered)}
        return Mapping(layout, pairs(spans))
    home = homes(near, layout)
    owned = Counter(home.values())
    # A worker that owns more than the base share keeps a block by getting one of the extras.
    by_need = sorted(ordered, key=lambda worker: (-owned[worker], worker))
    room = dict(zip(by_need, even_shares(layout.blocks, len(ordered)), strict=True))
    return Mapping(layout, pairs(seat(blocks, room, home)))


def remap(mapping: Mapping, lost: Collection[int]) -> Mapping:
    """Let the survivors of a loss take over: they keep their blocks and share the lost workers' evenly.

    Who owns the fewest virtual nodes gets the extras. That nobody survives is a PlanError.

    Args:
        mapping: The mapping before the loss.
        lost: The workers that are gone; others than the mapping's are ignored.

    Returns:
        The survivors' mapping.
    """
    counts = mapping.counts
    survivors = sorted((worker for worker in mapping.workers if worker not in lost), key=counts.__getitem__)
    check_workers(mapping.layout, survivors)
    kept = {worker: mapping.blocks_of(worker) for worker in survivors}
    orphans = sorted(block for worker, owned in mapping.blocks if worker in lost for block in owned)
    room = dict(zip(survivors, even_shares(len(orphans), len(survivors)), strict=True))
    return Mapping(mapping.layout, pairs(kept, seat(orphans, room, {})))
