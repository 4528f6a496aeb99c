"""One computation of a step on one worker: its passes, its vote, its part in the sum.

The order-free sum takes one contribution a block; inside a block gradients add up natively, in the order of
virtual nodes.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isfinite

import torch

from vfnb.numerics import node_seed
from vfnb.runtime.feed import Feed
from vfnb.runtime.forward import Measured, run_pass
from vfnb.runtime.group import GroupError
from vfnb.runtime.handing import hand_on, receive
from vfnb.runtime.passes import Pass, by_block
from vfnb.runtime.post import Post
from vfnb.runtime.program import Batch
from vfnb.runtime.replica import Replica
from vfnb.runtime.troubles import MemoryShortError, told
from vfnb.runtime.vote import Ballot, Trouble, Verdict


class Attempt:
    """An attempt at the next step.

    Args:
        replica: Its gradients and buffers change, nothing that lasts.
        post: Who and with whom.
        feed: The batches.

    Attributes:
        step: Which.
        samples: In the step's batch.
        scale: The loss scaler's.
        ballot: This worker's vote, then everybody's.
        error: What went wrong here.
    """

    def __init__(self, replica: Replica, post: Post, feed: Feed) -> None:
        self.replica, self.post, self.feed = replica, post, feed
        self.step = replica.step + 1
        self.samples = feed.samples_in(self.step)
        self.scale = replica.scaler.get_scale()
        layout = replica.program.layout
        self.ballot = Ballot(layout.blocks, len(replica.parameters), len(replica.buffers.names), layout.nodes)
        self.error: Exception | None = None
        self._current: Pass | None = None
        replica.sums.begin(replica.capacities)
        replica.buffers.begin(replica.buffer_capacities)

    def compute(self) -> None:
        """Compute this worker's passes, block by block; an exception of the user's code goes on the ballot."""
        try:
            self._tally(self._passes())
        except GroupError:
            self.undo()
            raise
        except Exception as error:  # noqa: BLE001  # the user's code may raise anything; the vote tells the others
            node = self._current.node if self._current else -1
            size = len(self._current.positions) if self._current else 0
            self.error = told(error, self.replica, self.post.worker, step=self.step, node=node, samples=size)
            self.ballot.trouble(Trouble.MEMORY if isinstance(self.error, MemoryShortError) else Trouble.ERROR)
            self.undo()

    def undo(self) -> None:
        """Drop the attempt: gradients go, buffers stand where the step began."""
        self.replica.buffers.restore()
        self.replica.clear_gradients()

    def vote(self) -> Verdict:
        """Tell the others and hear them.

        Returns:
            The verdict, the same everywhere.
        """
        post = self.post
        self.ballot.vote(post.orders(), self.replica.digest())
        post.probe("before_vote", worker=post.worker, step=self.step)
        post.slot.mark("collective", step=self.step)
        with self._dropped_on_loss():
            post.group.max_(self.ballot.vector)
            post.probe("after_vote", worker=post.worker, step=self.step)
        return self.ballot.verdict()

    def sum_(self, verdict: Verdict) -> None:
        """Add up over workers, and leave the mean gradients in `.grad`.

        Args:
            verdict: Of this attempt.
        """
        replica, post = self.replica, self.post

        def begun() -> None:
            post.probe("in_sum", worker=post.worker, step=self.step)

        with self._dropped_on_loss():
            post.group.sum_([*replica.sums.tensors(self.ballot), *replica.buffers.tensors()], begun)
            post.group.sum_(replica.buffers.large_tensors(), lambda: None)
            post.probe("before_commit", worker=post.worker, step=self.step)
        replica.sums.means_into_grads(self.ballot, verdict.weight / replica.weight_unit)

    def hand_on(self, norm: float | None) -> bool:
        """Give what this worker's update has made to the others, whose devices round differently.

        Args:
            norm: Of the mean gradient.

        Returns:
            Whether all members were there; this worker has committed either way.
        """
        replica, post = self.replica, self.post
        post.probe("in_update", worker=post.worker, step=self.step)
        try:
            hand_on(post.group, {"norm": norm, **replica.learned()}, post.lead_place)
        except GroupError:
            return False
        return True

    def take_over(self) -> float | None:
        """Take over what the lead's update has made, once all of it is here.

        Returns:
            The norm of the mean gradient, as the lead rounds it.
        """
        replica, post = self.replica, self.post
        with self._dropped_on_loss():
            post.probe("in_update", worker=post.worker, step=self.step)
            learned = receive(post.group, post.lead_place)
        replica.clear_gradients()
        replica.buffers.apply(self.samples)
        replica.take_over(learned)
        norm: float | None = learned["norm"]
        return norm

    def _passes(self) -> list[tuple[Pass, Measured]]:
        replica, post, at_once = self.replica, self.post, self.replica.nodes_per_pass

        def passes_in(step: int) -> tuple[Pass, ...]:
            return post.passes(step, self.feed.samples_in(step), at_once)

        passes = passes_in(self.step)
        batches = self.feed.batches(self.step, passes, passes_in)
        # Before the first pass: between passes, where caches are cold, each of these takes five times as long.
        seeds = [node_seed(replica.program.seed, self.step, one.node) for one in passes]
        measured: list[tuple[Pass, Measured]] = []
        for block in by_block(passes):
            for one in block:
                if post.abandoned():
                    raise GroupError("this generation is abandoned")
                self._current = one
                post.slot.mark("compute", step=self.step, node=one.node)
                begun = time.perf_counter()
                post.stretch.begin()
                batch = next(batches)
                slower = post.probe("pass", worker=post.worker, step=self.step, detail=len(measured))
                measured.append((one, self._pass(one, batch, seeds[len(measured)])))
                post.stretch.end(slower, self.step)
                post.slot.took(time.perf_counter() - begun)
            replica.sums.end_block(block[0].block, self.scale)
            replica.buffers.end_block(block[0].block)
        self._current = None
        return measured

    def _pass(self, one: Pass, batch: Batch, seed: int) -> Measured:
        replica = self.replica
        replica.buffers.restore()
        got = run_pass(replica, one, batch, seed=seed, unit=replica.weight_unit, scale=self.scale)
        replica.sums.end_pass()
        replica.buffers.end_pass(one.node, len(one.positions))
        return got

    def _tally(self, measured: Sequence[tuple[Pass, Measured]]) -> None:
        """Put the blocks' losses, weights and magnitudes on the ballot; here the device is waited for."""
        if measured:
            self._tally_losses(measured)
        bad_blocks = [self.replica.sums.finish(self.ballot), self.replica.buffers.finish(self.ballot)]
        for block, what in zip(bad_blocks, ("gradient", "buffer"), strict=True):
            if block is not None:
                self.ballot.not_finite(next(one.node for one, _ in measured if one.block == block), what)

    def _tally_losses(self, measured: Sequence[tuple[Pass, Measured]]) -> None:
        values = torch.stack([got.value.float() for _, got in measured]).tolist()
        losses: dict[int, float] = {}
        weights: dict[int, float] = {}
        for (one, got), value in zip(measured, values, strict=True):
            if not isfinite(value):
                self.ballot.not_finite(one.node, "loss")
                value = 0.0  # noqa: PLW2901  # only the vote may carry the news: NaN has no maximum
            # One worker alone fills a block's place, in the order of virtual nodes: plain sums have no order left.
            losses[one.block] = losses.get(one.block, 0.0) + value * got.factor
            weights[one.block] = weights.get(one.block, 0.0) + got.weight
        blocks = list(losses)
        self.ballot.losses[blocks] = torch.tensor([*losses.values()], dtype=torch.float64)
        self.ballot.weights[blocks] = torch.tensor([*weights.values()], dtype=torch.float64)

    @contextmanager
    def _dropped_on_loss(self) -> Iterator[None]:
        try:
            yield
        except GroupError:
            self.undo()
            self.replica.renew_sums()  # a collective that was left may still write into what it was given
            raise
