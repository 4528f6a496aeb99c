"""The solver against brute force: nothing that can be tried is faster, smaller or nearer than what it finds."""

from collections.abc import Iterator
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from vfnb.planning import fastest, levelled, moves
from vfnb.spec import Layout, Mapping

# Few, so that ties are common, and exact in binary, so that ties are exact.
SECONDS = st.sampled_from([0.125, 0.25, 0.375, 0.5, 0.75, 1.0, 2.0, 3.0])
COMMUNICATION = st.sampled_from([0.0, 0.0, 0.375, 1.0, 5.0])


def mappings_of(layout: Layout, workers: list[int]) -> Iterator[Mapping]:
    """Give every mapping to some of the workers; every block counts, since each has its present worker."""
    for owners in product(workers, repeat=layout.blocks):
        owned = {worker: tuple(at for at, owner in enumerate(owners) if owner == worker) for worker in set(owners)}
        yield Mapping(layout, tuple(owned.items()))


def step_seconds(mapping: Mapping, seconds: dict[int, float], communication: float) -> float:
    slowest = max(count * seconds[worker] for worker, count in mapping.counts.items())
    return slowest + (communication if len(mapping.workers) > 1 else 0.0)


def moved_nodes(before: Mapping | None, after: Mapping) -> int:
    if before is None:
        return 0
    return sum(after.layout.sizes[move.block] for move in moves(before, after))


@st.composite
def present(draw: st.DrawFn, layout: Layout) -> Mapping:
    """Draw a mapping to any workers, also to such as are gone."""
    owners = draw(st.lists(st.integers(0, 4), min_size=layout.blocks, max_size=layout.blocks))
    owned = {worker: tuple(at for at, owner in enumerate(owners) if owner == worker) for worker in set(owners)}
    return Mapping(layout, tuple(owned.items()))


@settings(max_examples=300)
@given(data=st.data(), communication=COMMUNICATION)
def test_no_mapping_of_equal_blocks_is_faster_nor_as_fast_with_fewer_workers_or_moves(
    data: st.DataObject, communication: float
) -> None:
    blocks = data.draw(st.integers(1, 6))
    layout = Layout(blocks * data.draw(st.integers(1, 3)), blocks)
    workers = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=3, unique=True))
    seconds = {worker: data.draw(SECONDS) for worker in workers}
    near = data.draw(st.none() | present(layout))

    found = fastest(layout, seconds, near, communication=communication)

    def rank(mapping: Mapping) -> tuple[float, int, int]:
        return step_seconds(mapping, seconds, communication), len(mapping.workers), moved_nodes(near, mapping)

    assert rank(found) == min(map(rank, mappings_of(layout, workers)))


@settings(max_examples=300)
@given(data=st.data())
def test_of_many_workers_those_that_keep_the_most_are_chosen(data: st.DataObject) -> None:
    layout = Layout(8, 8)
    workers = range(data.draw(st.integers(1, 5)))
    seconds = {worker: data.draw(st.sampled_from([1.0, 1.5, 2.0])) for worker in workers}
    near = Mapping(layout, tuple(data.draw(cuts(layout, [*workers, 9])).items()))

    found = fastest(layout, seconds, near)

    def rank(counts: dict[int, int]) -> tuple[float, int, int]:
        slowest = max(count * seconds[worker] for worker, count in counts.items())
        kept = sum(min(count, near.counts.get(worker, 0)) for worker, count in counts.items())
        return slowest, len(counts), layout.nodes - kept

    assert rank(found.counts) == min(map(rank, counts_of(layout.nodes, list(workers))))
    assert moved_nodes(near, found) == rank(found.counts)[2]


@st.composite
def cuts(draw: st.DrawFn, layout: Layout, workers: list[int]) -> dict[int, tuple[int, ...]]:
    owners = [draw(st.sampled_from(workers)) for _ in range(layout.blocks)]
    return {worker: tuple(at for at, owner in enumerate(owners) if owner == worker) for worker in set(owners)}


def counts_of(total: int, workers: list[int]) -> Iterator[dict[int, int]]:
    """Give every way to share `total` things between some of the workers."""
    if not workers:
        if total == 0:
            yield {}
        return
    for count in range(total + 1):
        for rest in counts_of(total - count, workers[1:]):
            yield {workers[0]: count, **rest} if count else rest


@settings(max_examples=300)
@given(data=st.data(), communication=COMMUNICATION)
def test_no_mapping_of_blocks_of_two_sizes_is_faster_nor_as_fast_with_fewer_workers(
    data: st.DataObject, communication: float
) -> None:
    blocks = data.draw(st.integers(2, 6))
    layout = Layout(blocks * data.draw(st.integers(1, 4)) + data.draw(st.integers(1, blocks - 1)), blocks)
    workers = list(range(data.draw(st.integers(1, 3))))
    seconds = {worker: data.draw(SECONDS) for worker in workers}
    near = data.draw(st.none() | present(layout))

    found = fastest(layout, seconds, near, communication=communication)

    def rank(mapping: Mapping) -> tuple[float, int]:
        return step_seconds(mapping, seconds, communication), len(mapping.workers)

    assert rank(found) == min(map(rank, mappings_of(layout, workers)))


@given(data=st.data())
def test_what_is_the_fastest_mapping_stays(data: st.DataObject) -> None:
    blocks = data.draw(st.integers(1, 40))
    layout = Layout(blocks * data.draw(st.integers(1, 3)), blocks)
    seconds = {worker: data.draw(st.floats(1e-4, 1e3)) for worker in range(data.draw(st.integers(1, 8)))}
    found = fastest(layout, seconds)

    again = fastest(layout, seconds, near=found)

    assert again == found


@settings(max_examples=300)
@given(data=st.data())
def test_no_mapping_that_leaves_nobody_out_is_faster_nor_moves_fewer_equal_blocks(data: st.DataObject) -> None:
    workers = list(range(data.draw(st.integers(1, 3))))
    blocks = data.draw(st.integers(len(workers), 6))
    layout = Layout(blocks * data.draw(st.integers(1, 3)), blocks)
    seconds = {worker: data.draw(SECONDS) for worker in workers}
    possible = [one for one in mappings_of(layout, workers) if len(one.workers) == len(workers)]
    near = data.draw(st.none() | st.sampled_from(possible))

    found = levelled(layout, seconds, near)

    def rank(mapping: Mapping) -> tuple[float, int]:
        return step_seconds(mapping, seconds, 0.0), moved_nodes(near, mapping)

    assert found.workers == tuple(workers)
    assert rank(found) == min(map(rank, possible))


@settings(max_examples=300)
@given(data=st.data())
def test_no_mapping_of_blocks_of_two_sizes_that_leaves_nobody_out_is_faster(data: st.DataObject) -> None:
    workers = list(range(data.draw(st.integers(1, 3))))
    blocks = data.draw(st.integers(max(2, len(workers)), 6))
    layout = Layout(blocks * data.draw(st.integers(1, 4)) + data.draw(st.integers(1, blocks - 1)), blocks)
    seconds = {worker: data.draw(SECONDS) for worker in workers}
    possible = [one for one in mappings_of(layout, workers) if len(one.workers) == len(workers)]
    near = data.draw(st.none() | st.sampled_from(possible))

    found = levelled(layout, seconds, near)

    assert found.workers == tuple(workers)
    assert step_seconds(found, seconds, 0.0) == min(step_seconds(one, seconds, 0.0) for one in possible)
