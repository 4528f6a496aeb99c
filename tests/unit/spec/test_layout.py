"""Layouts: blocks of consecutive virtual nodes."""

import pytest

from vfnb.ground import SpecError
from vfnb.spec import Layout


@pytest.mark.parametrize(
    ("nodes", "blocks", "made"),
    [(1, None, 1), (20, None, 20), (32, None, 32), (1024, None, 32), (1024, 64, 64), (5, 1, 1)],
)
def test_there_are_at_most_32_blocks_unless_told_otherwise(nodes: int, blocks: int | None, made: int) -> None:
    assert Layout.of(nodes, blocks) == Layout(nodes, made)


def test_blocks_are_consecutive_and_the_lowest_are_larger() -> None:
    layout = Layout(10, 4)

    assert layout.sizes == (3, 3, 2, 2)
    assert [layout.nodes_of(block) for block in range(4)] == [
        range(3),
        range(3, 6),
        range(6, 8),
        range(8, 10),
    ]
    assert [layout.block_of(node) for node in range(10)] == [0, 0, 0, 1, 1, 1, 2, 2, 3, 3]


def test_finds_blocks_among_many_nodes() -> None:
    layout = Layout(32768, 32768)

    assert layout.block_of(32767) == 32767
    assert layout.nodes_of(12345) == range(12345, 12346)


@pytest.mark.parametrize(("nodes", "blocks", "what"), [(0, 1, "nodes=0"), (4, 0, "blocks=0"), (4, 5, "blocks=5")])
def test_refuses_a_layout_that_cannot_be(nodes: int, blocks: int, what: str) -> None:
    with pytest.raises(SpecError, match=what):
        Layout(nodes, blocks)
    with pytest.raises(SpecError, match=what):
        Layout.of(nodes, blocks)


def test_nodes_of_several_sizes_own_consecutive_positions_and_share_a_short_batch_in_proportion() -> None:
    layout = Layout(3, 3, samples=(6, 2, 4))

    assert [layout.positions(12, range(node, node + 1)) for node in range(3)] == [range(6), range(6, 8), range(8, 12)]
    assert layout.positions(12, range(1, 3)) == range(6, 12)
    assert [len(layout.positions(5, range(node, node + 1))) for node in range(3)] == [2, 1, 2]


@pytest.mark.parametrize(("samples", "what"), [((6, 2), "2 sizes are not one for each of 3"), ((6, 2, 0), "samples=0")])
def test_refuses_sizes_that_cannot_be(samples: tuple[int, ...], what: str) -> None:
    with pytest.raises(SpecError, match=what):
        Layout(3, 3, samples=samples)


@pytest.mark.parametrize("block", [-1, 4])
def test_refuses_a_block_that_is_not_there(block: int) -> None:
    with pytest.raises(SpecError, match=f"block={block} does not exist; there are blocks 0 to 3"):
        Layout(10, 4).nodes_of(block)


@pytest.mark.parametrize("node", [-1, 10])
def test_refuses_a_node_that_is_not_there(node: int) -> None:
    with pytest.raises(SpecError, match=f"node={node} does not exist; there are virtual nodes 0 to 9"):
        Layout(10, 4).block_of(node)


def test_blocks_that_come_in_later_are_the_last_and_of_one_size() -> None:
    layout = Layout(20, 10, ((6, 2), (9, 4)))

    assert layout.generations == (range(4), range(4, 6), range(6, 10))
    assert layout.most_workers == 4
    assert [layout.at(step) for step in (1, 5)] == [Layout(8, 4)] * 2
    assert [layout.at(step) for step in (6, 8)] == [Layout(12, 6, ((6, 2),))] * 2
    assert layout.at(9) is layout
    assert Layout(7, 3).generations == (range(3),)


@pytest.mark.parametrize(
    ("nodes", "later", "said"),
    [
        (10, ((1, 2),), "the step at which blocks come in=1 is not possible; give a whole number of at least 2"),
        (10, ((3, 0),), "blocks that come in at step 3=0 is not possible"),
        (10, ((3, 1), (3, 1)), r"blocks come in at the steps \[3, 3\]; name each step once, ascending"),
        (10, ((3, 5),), "all 5 blocks come in later; leave one at least to begin with"),
        (11, ((3, 1),), "11 virtual nodes in 5 blocks are not of one size"),
    ],
)
def test_refuses_blocks_that_cannot_come_in(nodes: int, later: tuple[tuple[int, int], ...], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        Layout(nodes, 5, later)
