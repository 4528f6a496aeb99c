"""Law: every sample is seen exactly once an epoch, whatever the batch, the node count and the epoch."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vfnb.numerics import Course, node_slices, permutation
from vfnb.spec import Layout

GROWTH = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 60)), max_size=3)  # steps and samples between


def growing(batch: int, apart: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    steps = accumulate((later for later, _ in apart), initial=1)
    batches = accumulate((more for _, more in apart), initial=batch)
    return tuple(zip(steps, batches, strict=True))[1:]


@given(
    samples=st.integers(1, 300),
    batch=st.integers(1, 80),
    apart=GROWTH,
    nodes=st.integers(1, 100),
    epoch=st.integers(0, 5),
    seed=st.integers(0, 2**63),
)
def test_samples_are_covered_exactly_once_an_epoch_also_where_the_batch_grows_inside_it(
    samples: int, batch: int, apart: list[tuple[int, int]], nodes: int, epoch: int, seed: int
) -> None:
    order = permutation(samples, seed, epoch).tolist()
    course = Course(samples, batch, growing(batch, apart))
    before = course.steps_of(epoch) if epoch else 0
    seen = []
    for step in range(before + 1, course.steps_of(epoch + 1) + 1):
        found_epoch, own = course.at(step)
        assert found_epoch == epoch
        assert course.ends_epoch(step) == (step == course.steps_of(epoch + 1))
        for part in node_slices(len(own), nodes):
            seen.extend(order[own[position]] for position in part)

    assert sorted(seen) == list(range(samples))
    assert seen == order


@given(sizes=st.lists(st.integers(1, 40), min_size=1, max_size=40), batch=st.integers(0, 2000), data=st.data())
def test_nodes_of_any_sizes_cover_a_batch_of_any_length_once(sizes: list[int], batch: int, data: st.DataObject) -> None:
    layout = Layout(len(sizes), 1, samples=tuple(sizes))
    first = data.draw(st.integers(0, len(sizes) - 1))

    parts = [layout.positions(batch, range(node, node + 1)) for node in range(len(sizes))]

    assert [position for part in parts for position in part] == list(range(batch))
    assert layout.positions(batch, range(first, len(sizes))) == range(parts[first].start, batch)
    if batch == sum(sizes):
        assert [len(part) for part in parts] == sizes


@given(samples=st.integers(1, 300), batch=st.integers(1, 80), apart=GROWTH, drop_last=st.booleans())
def test_every_step_reads_on_from_the_one_before_with_the_batch_of_its_time(
    samples: int, batch: int, apart: list[tuple[int, int]], drop_last: bool
) -> None:
    growth = tuple((step, size) for step, size in growing(batch, apart) if size <= samples or not drop_last)
    batch = min(batch, samples)
    course = Course(samples, batch, growth, drop_last)
    epoch, stop = 0, 0
    for step in range(1, 160):
        size = [batch, *(size for since, size in growth if since <= step)][-1]
        if stop == samples or (drop_last and stop + size > samples):
            epoch, stop = epoch + 1, 0

        assert course.at(step) == (epoch, range(stop, min(stop + size, samples)))
        stop += len(course.at(step)[1])


@given(samples=st.integers(1, 300), batch=st.integers(1, 80), apart=GROWTH)
def test_epochs_are_measured_alike_by_steps_and_by_samples(
    samples: int, batch: int, apart: list[tuple[int, int]]
) -> None:
    course = Course(samples, batch, growing(batch, apart))
    ends = [course.steps_of(epochs) for epochs in range(1, 6)]
    every = course.epochs_after(np.arange(ends[-1] + 1))

    assert every[ends] == pytest.approx(range(1, 6))
    assert np.all(np.diff(every) > 0)


@given(batch=st.integers(0, 5000), nodes=st.integers(1, 5000))
def test_nodes_cut_a_batch_into_even_consecutive_slices(batch: int, nodes: int) -> None:
    slices = node_slices(batch, nodes)

    lengths = [len(part) for part in slices]
    assert [position for part in slices for position in part] == list(range(batch))
    assert max(lengths) - min(lengths) <= 1
    assert lengths == sorted(lengths, reverse=True)
