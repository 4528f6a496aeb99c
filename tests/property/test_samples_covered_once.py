"""Law: every sample is seen exactly once an epoch, whatever the batch, the node count and the epoch."""

from hypothesis import given
from hypothesis import strategies as st

from vfnb.numerics import batch_slice, node_slices, permutation, steps_per_epoch, where
from vfnb.spec import Layout


@given(
    samples=st.integers(1, 300),
    batch=st.integers(1, 80),
    nodes=st.integers(1, 100),
    epoch=st.integers(0, 5),
    seed=st.integers(0, 2**63),
)
def test_samples_are_covered_exactly_once(samples: int, batch: int, nodes: int, epoch: int, seed: int) -> None:
    order = permutation(samples, seed, epoch).tolist()
    steps = steps_per_epoch(samples, batch)
    seen = []
    for step in range(epoch * steps + 1, (epoch + 1) * steps + 1):
        found_epoch, within = where(step, samples, batch)
        assert found_epoch == epoch
        own = batch_slice(samples, batch, within)
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


@given(samples=st.integers(1, 300), batch=st.integers(1, 80), steps=st.integers(1, 400))
def test_dropping_leaves_whole_batches_alone(samples: int, batch: int, steps: int) -> None:
    batch = min(batch, samples)

    epoch, within = where(steps, samples, batch, drop_last=True)

    assert len(batch_slice(samples, batch, within)) == batch
    assert epoch * (samples // batch) + within + 1 == steps


@given(batch=st.integers(0, 5000), nodes=st.integers(1, 5000))
def test_nodes_cut_a_batch_into_even_consecutive_slices(batch: int, nodes: int) -> None:
    slices = node_slices(batch, nodes)

    lengths = [len(part) for part in slices]
    assert [position for part in slices for position in part] == list(range(batch))
    assert max(lengths) - min(lengths) <= 1
    assert lengths == sorted(lengths, reverse=True)
