"""Which passes a worker makes in which step."""

from vfnb.runtime.passes import by_block
from vfnb.runtime.post import Post
from vfnb.spec import Layout, Mapping

GROWING = Mapping(Layout(12, 6, ((9, 2),)), ((0, (0, 1, 4)), (1, (2, 3, 5))))


def test_blocks_that_come_in_later_are_computed_from_their_step_on() -> None:
    post = Post(worker=0, mapping=GROWING)

    before, after = post.passes(8, 16, 1), post.passes(9, 24, 1)

    assert [one.node for one in before] == [0, 1, 2, 3]
    assert [one.node for one in after] == [0, 1, 2, 3, 8, 9]
    assert [one.positions for one in before] == [one.positions for one in after[:4]]
    assert [len(block) for block in by_block(after)] == [2, 2, 2]


def test_a_short_batch_is_spread_over_the_nodes_of_its_step() -> None:
    workers = [Post(worker=worker, mapping=GROWING) for worker in (0, 1)]

    for step, lengths in ((8, [2, 2, 2, 1, 1, 1, 1, 1]), (9, [1] * 11)):
        passes = sorted((one for post in workers for one in post.passes(step, 11, 1)), key=lambda one: one.node)
        assert [len(one.positions) for one in passes] == lengths
        assert [place for one in passes for place in one.positions] == list(range(11))
