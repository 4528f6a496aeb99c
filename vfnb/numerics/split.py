"""How an epoch becomes steps, and a step's global batch becomes one slice a virtual node."""

from functools import lru_cache

import torch
from torch import LongTensor

from vfnb.ground import SpecError, share_range
from vfnb.numerics.seeds import epoch_seed


def steps_per_epoch(samples: int, batch: int, drop_last: bool = False) -> int:
    """Count the steps of one epoch.

    Args:
        samples: The data set's length.
        batch: The global batch.
        drop_last: Whether a short last batch is left out.

    Returns:
        The count, at least 1.

    Raises:
        SpecError: If there is no sample, no batch, or the only batch would be dropped.
    """
    if samples < 1:
        raise SpecError(f"the data set has {samples} samples; give it at least 1")
    if batch < 1:
        raise SpecError(f"global_batch={batch} trains nothing; give at least 1")
    if not drop_last:
        return -(-samples // batch)
    if samples < batch:
        raise SpecError(
            f"drop_last=True drops the only batch: the data set has {samples} samples, "
            f"global_batch={batch}; use drop_last=False or a batch of {samples} or less"
        )
    return samples // batch


@lru_cache(maxsize=16)  # a job knows two lengths, a full batch and the short last one, and asks each step
def node_slices(batch_len: int, nodes: int) -> tuple[range, ...]:
    """Cut a step's batch into one slice a virtual node.

    Slices are consecutive and differ by at most one in length, the lowest nodes get the extras; where the
    batch is shorter than the node count the highest nodes get none. Nothing depends on workers.

    Args:
        batch_len: The length of this step's batch.
        nodes: How many virtual nodes share it.

    Returns:
        Positions within the batch, one range a node.
    """
    return tuple(share_range(batch_len, nodes, node) for node in range(nodes))


def permutation(samples: int, seed: int, epoch: int, shuffle: bool = True) -> LongTensor:
    """Draw the order in which one epoch visits the data set.

    It is a function of its arguments alone: no global generator is read or moved.

    Args:
        samples: The data set's length, `N`.
        seed: The job's seed.
        epoch: The epoch, counted from 0.
        shuffle: False keeps the data set's own order.

    Returns:
        Every index from 0 to `N - 1` exactly once, an int64 tensor on the CPU.
    """
    if shuffle:
        generator = torch.Generator().manual_seed(epoch_seed(seed, epoch))
        order = torch.randperm(samples, generator=generator, dtype=torch.int64, device="cpu")
    else:
        order = torch.arange(samples, dtype=torch.int64, device="cpu")
    assert isinstance(order, torch.Tensor)
    return order  # type: ignore[return-value]
