"""Reading batches: a function of (seed, epoch, step, node, indices), in whichever process it runs.

Each sample's augmentation draws from (seed, epoch, index) and each collate from (seed, step, node), so that
neither workers nor loader processes can be told apart by what they read.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from torch.utils.data import Dataset, Subset, TensorDataset, default_collate

from vfnb.numerics import node_seed, permutation, sample_seed, seed_generators
from vfnb.runtime.program import Batch, MapStyle, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One batch to read.

    Attributes:
        epoch: Of the samples.
        step: Of the pass; 0 outside training.
        node: Of the pass; in an evaluation, the batch's number.
        indices: Of the samples in the data set.
    """

    epoch: int
    step: int
    node: int
    indices: tuple[int, ...]


@lru_cache(maxsize=2)  # a step needs one epoch's order; its neighbour is read ahead
def epoch_order(samples: int, seed: int, epoch: int, shuffle: bool) -> torch.Tensor:
    """Give the order of an epoch's samples.

    Args:
        samples: The data set's length.
        seed: The run's.
        epoch: From 0.
        shuffle: Whether it has an order of its own.

    Returns:
        Indices, shape [samples].
    """
    return permutation(samples, seed, epoch, shuffle)


def read(source: Source, seed: int, request: Request) -> Batch:
    """Read and collate one batch; seeds and leaves the global generators changed.

    Args:
        source: The data.
        seed: The run's.
        request: Which samples, and whose.

    Returns:
        The batch, on the CPU.
    """
    tensors = gathered(source, torch.tensor(request.indices))
    return collated(source, seed, request) if tensors is None else tensors


def collated(source: Source, seed: int, request: Request) -> Batch:
    """Read a batch sample by sample and collate it; seeds and leaves the global generators changed.

    Args:
        source: The data.
        seed: The run's.
        request: Which samples, and whose.

    Returns:
        The batch, on the CPU.
    """
    samples = []
    for index in request.indices:
        seed_generators(sample_seed(seed, request.epoch, index))
        samples.append(source.dataset[index])
    seed_generators(node_seed(seed, request.step, request.node))
    return default_collate(samples) if source.collate is None else source.collate(samples)


def gathered(source: Source, rows: torch.Tensor) -> list[torch.Tensor] | None:
    """Take samples out of plain tensors in one call each: such data cannot draw, so nothing is seeded.

    Args:
        source: Any data.
        rows: Indices of its samples, shape [samples].

    Returns:
        What torch's default collate would give; None for other kinds of data set, or a collate of the user's.
    """
    subsets: list[Subset[Any]] = []
    dataset: MapStyle | Dataset[Any] = source.dataset
    while type(dataset) is Subset:
        subsets.append(dataset)
        dataset = dataset.dataset
    if source.collate is not None or type(dataset) is not TensorDataset:
        return None  # before a row is looked up for nothing
    for subset in subsets:
        rows = torch.tensor([subset.indices[index] for index in rows.tolist()])
    return [tensor.index_select(0, rows) for tensor in dataset.tensors]
