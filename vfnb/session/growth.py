"""The virtual nodes and blocks of a job, with those that come in where its batch grows."""

from dataclasses import replace
from math import gcd

from vfnb.ground import SpecError
from vfnb.spec import Layout, Options, VirtualCluster


def layout_of(cluster: VirtualCluster, options: Options, nodes_per_pass: int) -> Layout:
    """Cut a job's virtual nodes into blocks.

    Where the batch grows, the layout is that of the largest batch, in blocks of one size: each batch is whole blocks,
    of virtual nodes that have as many samples as the first ones.

    Args:
        cluster: The target.
        options: Blocks and batches.
        nodes_per_pass: Virtual nodes computed at once.

    Returns:
        The layout.

    Raises:
        SpecError: If a batch is not whole virtual nodes, they are not whole blocks of one size, or sizes of their own
            are not the target's.
    """
    first = Layout.of(cluster.nodes, options.blocks, nodes_per_pass=nodes_per_pass)
    if options.node_sizes is not None:
        return replace(first, samples=_sizes(cluster, options.node_sizes))
    if not options.growth:
        return first
    nodes = [cluster.nodes, *(_nodes(cluster, step, batch) for step, batch in options.growth)]
    size = _block_size(nodes, first, options)
    blocks = [count // size for count in nodes]
    later = tuple(
        (step, after - before) for (step, _), before, after in zip(options.growth, blocks, blocks[1:], strict=False)
    )
    return Layout(nodes[-1], blocks[-1], later)


def _sizes(cluster: VirtualCluster, sizes: tuple[int, ...]) -> tuple[int, ...]:
    if len(sizes) != cluster.nodes:
        raise SpecError(f"node_sizes has {len(sizes):,} sizes, the cluster {cluster.nodes:,} devices; give one each")
    if sum(sizes) != cluster.global_batch:
        raise SpecError(
            f"node_sizes add up to {sum(sizes):,}, the global batch is {cluster.global_batch:,}; give sizes that add "
            "up to it, or that batch"
        )
    return sizes


def _nodes(cluster: VirtualCluster, step: int, batch: int) -> int:
    """Count the virtual nodes of a later batch."""
    each, over = divmod(cluster.global_batch, cluster.nodes)
    if over or not each:
        whole = max(1, each) * cluster.nodes
        raise SpecError(
            f"batch_schedule needs virtual nodes of one size: {cluster.global_batch:,} samples are not shared evenly "
            f"by {cluster.nodes:,} devices; give the cluster a global batch such as {whole:,}"
        )
    if batch <= cluster.global_batch:
        raise SpecError(
            f"batch_schedule goes from {cluster.global_batch:,} to {batch:,} at step {step:,}; a batch only grows"
        )
    if batch % each:
        raise SpecError(
            f"batch_schedule's {batch:,} samples at step {step:,} are not whole virtual nodes of {each:,} samples; "
            f"give {batch - batch % each:,} or {batch - batch % each + each:,}"
        )
    return batch // each


def _block_size(nodes: list[int], first: Layout, options: Options) -> int:
    """Choose a size that divides all the counts: the one asked for, or the largest that makes no fewer blocks."""
    common = gcd(*nodes)
    most = -(-first.nodes // first.blocks)
    size = max(size for size in range(1, most + 1) if common % size == 0)
    if options.blocks is not None and size * first.blocks != first.nodes:
        raise SpecError(
            f"blocks={first.blocks} does not cut the {', '.join(f'{count:,}' for count in nodes)} virtual nodes of "
            f"batch_schedule into blocks of one size; give {first.nodes // size}, or leave it out"
        )
    return size
