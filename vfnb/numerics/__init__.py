"""The rules that keep a run's bits: split, seeds, order-free sum, capacities, buffers, digests, noise."""

from vfnb.numerics.buffers import BufferMean
from vfnb.numerics.capacity import Capacities
from vfnb.numerics.course import Course, Leg
from vfnb.numerics.grid import UNTOUCHED, absmax, absmaxes, grid_step, has_fp64, round_to_grid
from vfnb.numerics.grid_sum import GridSum
from vfnb.numerics.int_grid_sum import IntGridSum
from vfnb.numerics.noise import NoiseScale
from vfnb.numerics.order_free import OrderFreeSum, order_free_sum
from vfnb.numerics.packing import fingerprint, slice_digest, unique_buffers, unique_parameters
from vfnb.numerics.seeds import (
    epoch_seed,
    evaluation_seed,
    generators_digest,
    node_seed,
    restored_generators,
    sample_seed,
    seed_generators,
    seed_of,
    update_seed,
)
from vfnb.numerics.split import node_slices, permutation, steps_per_epoch

__all__ = [
    "UNTOUCHED",
    "BufferMean",
    "Capacities",
    "Course",
    "GridSum",
    "IntGridSum",
    "Leg",
    "NoiseScale",
    "OrderFreeSum",
    "absmax",
    "absmaxes",
    "epoch_seed",
    "evaluation_seed",
    "fingerprint",
    "generators_digest",
    "grid_step",
    "has_fp64",
    "node_seed",
    "node_slices",
    "order_free_sum",
    "permutation",
    "restored_generators",
    "round_to_grid",
    "sample_seed",
    "seed_generators",
    "seed_of",
    "slice_digest",
    "steps_per_epoch",
    "unique_buffers",
    "unique_parameters",
    "update_seed",
]
