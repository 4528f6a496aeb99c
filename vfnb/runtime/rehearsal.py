"""One pass without effect before the first step: it warms up, and shows how large gradients and weights are."""

from math import isfinite

import torch

from vfnb.numerics import node_seed
from vfnb.runtime.feed import Feed
from vfnb.runtime.forward import power_of_two_near, run_pass
from vfnb.runtime.passes import Pass, passes_of
from vfnb.runtime.program import Batch, Program
from vfnb.runtime.refusals import check_dense
from vfnb.runtime.replica import Replica
from vfnb.runtime.vote import Ballot

_SMALLEST_SCALE = 2.0**-24


def rehearse(replica: Replica) -> None:
    """Compute virtual node 0's pass of step 1 from the initial state, and set unit and capacities from it.

    Args:
        replica: Fresh; what it has learned stays as it is.
    """
    scale = replica.scaler.get_scale()
    while True:
        weight, ballot, bad = _pass(replica, scale)
        if bad is None or scale <= _SMALLEST_SCALE or not replica.scaler.is_enabled():
            break
        scale /= 2
    replica.weight_unit = power_of_two_near(weight)
    if bad is None and bool(torch.isfinite(ballot.absmax).all()):
        magnitudes = torch.where(ballot.absmax > 0, ballot.absmax / replica.weight_unit, ballot.absmax)
        replica.capacities = replica.capacities.raised(magnitudes)
        replica.buffer_capacities = replica.buffer_capacities.raised(ballot.buffer_absmax)


def first_pass(replica: Replica) -> tuple[Pass, Batch]:
    """Read the first pass of a run, virtual node 0's of step 1.

    Args:
        replica: On whose device it is computed.

    Returns:
        The pass and its batch.
    """
    program, first = replica.program, opening_pass(replica.program)
    feed = Feed(program, replica.device)
    return first, feed.placed(feed.read(1, first))


def opening_pass(program: Program) -> Pass:
    """Give the first pass of a run.

    Args:
        program: What is trained.

    Returns:
        Virtual node 0's of step 1, alone: unit and capacities then stay where passes are halved.
    """
    samples = min(program.global_batch, len(program.train.dataset))
    return passes_of(program.layout.at(1), (0,), samples, nodes_per_pass=1)[0]


def _pass(replica: Replica, scale: float) -> tuple[float, Ballot, int | None]:
    layout = replica.program.layout
    first, batch = first_pass(replica)
    ballot = Ballot(layout.blocks, len(replica.parameters), len(replica.buffers.names), layout.nodes)
    scale /= power_of_two_near(len(first.positions))
    replica.sums.begin(replica.capacities)
    replica.buffers.begin(replica.buffer_capacities)
    try:
        seed = node_seed(replica.program.seed, 1, first.node)
        got = run_pass(replica, first, batch, seed=seed, unit=1.0, scale=scale)
        check_dense(replica.parameters)
        replica.sums.end_pass()
        replica.buffers.end_pass(first.node, len(first.positions))
        replica.sums.end_block(first.block, scale)
        replica.buffers.end_block(first.block)
        bad = replica.sums.finish(ballot)
        replica.buffers.finish(ballot)
    finally:
        replica.buffers.restore()
        replica.clear_gradients()
    if not isfinite(float(got.value)):
        bad = first.block
    return got.weight, ballot, bad
