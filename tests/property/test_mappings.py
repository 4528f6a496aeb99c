"""Laws of layouts and mappings: everything is covered once, evenly, and no block moves without need."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import ceil

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vfnb.ground import PlanError
from vfnb.planning import by_counts, even, moves, remap
from vfnb.spec import Layout, Mapping


@st.composite
def layouts(draw: st.DrawFn, most_nodes: int = 200, most_blocks: int = 40) -> Layout:
    nodes = draw(st.integers(1, most_nodes))
    return Layout(nodes, draw(st.integers(1, min(nodes, most_blocks))))


@st.composite
def mappings(draw: st.DrawFn, layout: Layout, most_workers: int = 8) -> Mapping:
    """Draw any mapping at all: even or not, of workers with any ids."""
    number = draw(st.integers(1, min(layout.blocks, most_workers)))
    workers = draw(st.lists(st.integers(0, 30), min_size=number, max_size=number, unique=True))
    blocks = draw(st.permutations(range(layout.blocks)))
    others = draw(st.lists(st.sampled_from(workers), min_size=layout.blocks, max_size=layout.blocks))
    owners = [*workers, *others][: layout.blocks]  # one block each first, so that nobody has none
    owned: dict[int, list[int]] = {worker: [] for worker in workers}
    for block, worker in zip(blocks, owners, strict=True):
        owned[worker].append(block)
    return Mapping(layout, tuple((worker, tuple(some)) for worker, some in owned.items()))


def workers_of(layout: Layout, most: int = 8) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, 30), min_size=1, max_size=min(layout.blocks, most), unique=True)


def covered(mapping: Mapping) -> list[int]:
    return sorted(node for worker in mapping.workers for node in mapping.nodes_of(worker))


@given(layout=layouts(most_nodes=3000))
def test_a_layouts_blocks_hold_every_node_once_in_order_and_evenly(layout: Layout) -> None:
    blocks = [layout.nodes_of(block) for block in range(layout.blocks)]

    assert [node for block in blocks for node in block] == list(range(layout.nodes))
    assert tuple(len(block) for block in blocks) == layout.sizes
    assert max(layout.sizes) - min(layout.sizes) <= 1
    assert all(layout.block_of(block[0]) == layout.block_of(block[-1]) == at for at, block in enumerate(blocks))


@given(data=st.data())
def test_a_mapping_covers_every_node_once_and_counts_them(data: st.DataObject) -> None:
    mapping = data.draw(layouts().flatmap(mappings))

    assert covered(mapping) == list(range(mapping.layout.nodes))
    assert mapping.counts == {worker: len(mapping.nodes_of(worker)) for worker in mapping.workers}
    assert all(mapping.nodes_of(worker) == tuple(sorted(mapping.nodes_of(worker))) for worker in mapping.workers)


@given(data=st.data())
def test_even_mappings_differ_by_at_most_one_block_wherever_they_come_from(data: st.DataObject) -> None:
    layout = data.draw(layouts())
    workers = data.draw(workers_of(layout))
    near = data.draw(st.none() | mappings(layout))

    mapping = even(layout, workers, near)

    numbers = [len(mapping.blocks_of(worker)) for worker in workers]
    assert mapping.workers == tuple(sorted(workers))
    assert max(numbers) - min(numbers) <= 1
    assert covered(mapping) == list(range(layout.nodes))


def fewest_moves(near: Mapping, fits: list[dict[int, list[int]]]) -> int:
    """Find the fewest blocks that move from `near` to any of the mappings `fits`."""
    home = {block: worker for worker, owned in near.blocks for block in owned}
    return min(sum(home[block] != worker for worker, owned in fit.items() for block in owned) for fit in fits)


def every_mapping(layout: Layout, workers: list[int]) -> list[dict[int, list[int]]]:
    return [
        {worker: [block for block, one in enumerate(owners) if one == worker] for worker in workers}
        for owners in product(workers, repeat=layout.blocks)
    ]


@given(data=st.data())
def test_no_even_mapping_moves_fewer_blocks(data: st.DataObject) -> None:
    layout = data.draw(layouts(most_nodes=12, most_blocks=6))
    near = data.draw(mappings(layout, most_workers=3))
    workers = data.draw(st.lists(st.sampled_from([*near.workers, 31, 32]), min_size=1, max_size=3, unique=True))
    workers = workers[: layout.blocks]
    fits = [
        fit for fit in every_mapping(layout, workers) if max(map(len, fit.values())) - min(map(len, fit.values())) <= 1
    ]

    mapping = even(layout, workers, near)

    assert len(moves(near, mapping)) == fewest_moves(near, fits)


@given(data=st.data())
def test_the_counts_of_any_mapping_are_possible_and_met(data: st.DataObject) -> None:
    some = data.draw(layouts().flatmap(mappings))
    near = data.draw(st.none() | mappings(some.layout))

    mapping = by_counts(some.layout, some.counts, near)

    assert mapping.counts == some.counts
    assert covered(mapping) == list(range(some.layout.nodes))


@given(data=st.data())
def test_counts_are_refused_exactly_where_no_mapping_has_them_and_else_move_the_fewest(
    data: st.DataObject,
) -> None:
    layout = data.draw(layouts(most_nodes=14, most_blocks=6))
    near = data.draw(mappings(layout, most_workers=3))
    workers = sorted({*near.workers, data.draw(st.integers(0, 30))})[: min(3, layout.nodes)]
    cuts = sorted(data.draw(st.permutations(range(1, layout.nodes)))[: len(workers) - 1])
    ends = zip([0, *cuts], [*cuts, layout.nodes], strict=True)
    counts = {worker: end - start for worker, (start, end) in zip(workers, ends, strict=True)}
    fits = [
        fit
        for fit in every_mapping(layout, workers)
        if all(sum(layout.sizes[block] for block in fit[worker]) == counts[worker] for worker in workers)
    ]

    if not fits:
        with pytest.raises(PlanError, match=r"nearest possible|cannot share"):
            by_counts(layout, counts, near)
        return
    mapping = by_counts(layout, counts, near)

    assert mapping.counts == counts
    assert len(moves(near, mapping)) == fewest_moves(near, fits)


@given(data=st.data())
def test_the_counts_named_in_a_refusal_are_the_nearest_that_are_possible(data: st.DataObject) -> None:
    blocks = data.draw(st.integers(2, 12))
    layout = Layout(data.draw(st.integers(2 * blocks, 90)), blocks)
    possible = [count for count in range(1, layout.nodes) if is_possible(layout, count)]
    refused = [count for count in range(1, layout.nodes) if count not in possible]
    assume(refused)
    count = data.draw(st.sampled_from(refused))

    with pytest.raises(PlanError, match="nearest possible: ") as caught:
        by_counts(layout, {0: count, 1: layout.nodes - count})

    below = [one for one in possible if one < count][-1:]
    above = [one for one in possible if one > count][:1]
    named = str(caught.value).rpartition(": ")[2].split(" and ")
    assert named == [str(one) for one in (*below, *above)]


def is_possible(layout: Layout, count: int) -> bool:
    """Try every number of large and small blocks."""
    large, small = layout.nodes % layout.blocks, layout.nodes // layout.blocks
    sums = product(range(large + 1), range(layout.blocks - large + 1))
    return any(larges * (small + 1) + smalls * small == count for larges, smalls in sums)


@given(data=st.data())
def test_survivors_keep_what_they_have_and_share_the_rest_evenly(data: st.DataObject) -> None:
    before = data.draw(layouts().flatmap(mappings))
    lost = data.draw(st.sets(st.sampled_from(before.workers)))
    survivors = set(before.workers) - lost
    if not survivors:
        with pytest.raises(PlanError, match="no worker is left"):
            remap(before, lost)
        return

    after = remap(before, lost)

    gained = Counter(move.target for move in moves(before, after))
    shares = [gained[worker] for worker in survivors]
    assert set(after.workers) == survivors
    assert {move.source for move in moves(before, after)} == lost
    assert max(shares) - min(shares) <= 1


@given(data=st.data())
def test_the_moves_turn_one_mapping_into_the_other(data: st.DataObject) -> None:
    layout = data.draw(layouts())
    before, after = data.draw(mappings(layout)), data.draw(mappings(layout))
    home = {block: worker for worker, owned in before.blocks for block in owned}

    for move in moves(before, after):
        assert home[move.block] == move.source
        home[move.block] = move.target

    assert home == {block: worker for worker, owned in after.blocks for block in owned}


@st.composite
def growing(draw: st.DrawFn) -> Layout:
    """Draw a layout whose last blocks come in at steps 2, 3, ..."""
    size, first = draw(st.integers(1, 5)), draw(st.integers(1, 20))
    added = draw(st.lists(st.integers(1, 30), min_size=1, max_size=3))
    blocks = first + sum(added)
    return Layout(size * blocks, blocks, tuple(enumerate(added, start=2)))


@given(data=st.data())
def test_even_mappings_are_even_at_every_step_and_stay_as_they_are(data: st.DataObject) -> None:
    layout = data.draw(growing())
    workers = st.lists(st.integers(0, 30), min_size=1, max_size=min(layout.most_workers, 8), unique=True)
    before = even(layout, data.draw(workers))

    after = even(layout, data.draw(workers), near=before)

    for step in range(1, 6):
        there = after.at(step)
        numbers = [len(owned) for _, owned in there.blocks]
        assert there.layout == layout.at(step)
        assert max(numbers) - min(numbers) <= 1
        assert covered(there) == list(range(layout.at(step).nodes))
    assert even(layout, after.workers, near=after) == after


@given(data=st.data())
def test_counts_hold_for_what_is_there_and_what_comes_in_follows_in_proportion(data: st.DataObject) -> None:
    layout = data.draw(growing())
    present = layout.at(data.draw(st.integers(1, 5)))
    number = data.draw(st.integers(1, min(layout.most_workers, 6)))
    cuts = data.draw(st.permutations(range(1, present.blocks)))[: number - 1]
    ends = [0, *sorted(cuts), present.blocks]
    size = layout.nodes // layout.blocks
    counts = {worker: size * (ends[worker + 1] - ends[worker]) for worker in range(number)}
    near = even(layout, range(number))

    mapping = by_counts(layout, counts, near, present=present)

    for step in range(1, 6):
        there = mapping.at(step)
        if there.layout == present:
            assert there.counts == counts
        # With less for its share than the one with the most has, nobody could take over what that one has too much.
        numbers = {worker: len(there.blocks_of(worker)) for worker in counts}
        most = max(
            (Fraction(numbers[worker], counts[worker]) for worker in counts if numbers[worker] > 1), default=None
        )
        if most is not None:
            assert sum(max(1, ceil(most * count) - 1) for count in counts.values()) < there.layout.blocks
    assert by_counts(layout, counts, mapping, present=present) == mapping


@given(data=st.data())
def test_survivors_keep_their_blocks_and_share_the_others_of_each_generation(data: st.DataObject) -> None:
    layout = data.draw(growing())
    number = data.draw(st.integers(2, max(2, min(layout.most_workers, 6))))
    assume(number <= layout.most_workers)
    before = even(layout, range(number))
    lost = data.draw(st.sets(st.integers(0, number - 1), min_size=1, max_size=number - 1))

    after = remap(before, lost)

    assert all(set(before.blocks_of(worker)) <= set(after.blocks_of(worker)) for worker in after.workers)
    for step in range(1, 6):
        numbers = [len(owned) for _, owned in after.at(step).blocks]
        assert max(numbers) - min(numbers) <= 2
    assert covered(after) == list(range(layout.nodes))
