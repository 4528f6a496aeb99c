"""One pass without effect before the first step: it warms up, and shows how large gradients and weights are."""

from math import isfinite

import torch

from vfnb.numerics import node_seed
from vfnb.runtime.feed import Feed
from vfnb.runtime.forward import power_of_two_near, run_pass, seed_pass
from vfnb.runtime.post import Post
from vfnb.runtime.reading import read
from vfnb.runtime.replica import Replica
from vfnb.runtime.vote import Ballot
from vfnb.spec import Mapping

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


def _pass(replica: Replica, scale: float) -> tuple[float, Ballot, int | None]:
    program, layout = replica.program, replica.program.layout
    feed = Feed(program, replica.device)
    everything = Mapping(layout, ((0, tuple(range(layout.blocks))),))
    first = Post(worker=0, mapping=everything).passes(program, feed.samples_in(1))[0]
    ballot = Ballot(layout.blocks, len(replica.parameters), len(replica.buffers.names), layout.nodes)
    replica.sums.begin(replica.capacities)
    replica.buffers.begin(replica.buffer_capacities)
    batch = feed.placed(read(program.train, program.seed, feed.request(1, first)))
    seed_pass(node_seed(program.seed, 1, first.node), replica.device)
    try:
        got = run_pass(
            replica.model,
            replica.loss,
            batch,
            len(first.positions),
            precision=program.options.precision,
            device=replica.device,
            unit=1.0,
            scale=scale / power_of_two_near(len(first.positions)),
        )
        replica.sums.end_pass()
        replica.buffers.end_pass(first.node, len(first.positions))
        replica.sums.end_block(first.block, scale / power_of_two_near(len(first.positions)))
        replica.buffers.end_block(first.block)
        bad = replica.sums.finish(ballot)
        replica.buffers.finish(ballot)
    finally:
        replica.buffers.restore()
        replica.clear_gradients()
    if not isfinite(float(got.value)):
        bad = first.block
    return got.weight, ballot, bad
