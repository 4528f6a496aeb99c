import pytest

from vfnb.ground import SpecError
from vfnb.session.growth import layout_of
from vfnb.spec import Layout, Options, VirtualCluster


def grown(nodes: int, batch: int, schedule: dict[int, int], blocks: int | None = None, at_once: int = 1) -> Layout:
    cluster = VirtualCluster(accelerator="", count=nodes, global_batch=batch)
    return layout_of(cluster, Options(batch_schedule=schedule, blocks=blocks), at_once)


def test_a_batch_that_stays_has_the_usual_blocks() -> None:
    cluster = VirtualCluster(accelerator="", count=1000, global_batch=10)

    assert layout_of(cluster, Options(), 1) == Layout.of(1000)


def test_each_batch_adds_whole_blocks_of_the_first_ones_size() -> None:
    layout = grown(1024, 2048, {1001: 10_240, 2001: 51_200})

    assert layout == Layout(25_600, 800, ((1001, 128), (2001, 640)))
    assert layout.at(1000) == Layout.of(1024)
    assert set(layout.sizes) == {32}


@pytest.mark.parametrize(
    ("nodes", "more", "blocks", "at_once", "size"),
    [
        (4, 20, None, 1, 1),
        (64, 96, None, 1, 2),  # as without growth
        (64, 65, None, 1, 1),  # nothing else divides both
        (37, 74, None, 1, 1),  # rather more than 32 blocks than one
        (64, 96, None, 8, 8),  # a block is a pass
        (64, 96, 2, 1, 32),
    ],
)
def test_blocks_are_as_large_as_divides_every_batch(
    nodes: int, more: int, blocks: int | None, at_once: int, size: int
) -> None:
    assert set(grown(nodes, nodes, {9: more}, blocks, at_once).sizes) == {size}


@pytest.mark.parametrize(
    ("nodes", "batch", "schedule", "blocks", "said"),
    [
        (
            4,
            10,
            {9: 20},
            None,
            "10 samples are not shared evenly by 4 devices; give the cluster a global batch such as 8$",
        ),
        (8, 4, {9: 20}, None, "4 samples are not shared evenly by 8 devices; .* such as 8$"),
        (4, 8, {9: 8}, None, "batch_schedule goes from 8 to 8 at step 9; a batch only grows"),
        (
            4,
            1024,
            {9: 2000},
            None,
            "2,000 samples at step 9 are not whole virtual nodes of 256 .* give 1,792 or 2,048$",
        ),
        (64, 64, {9: 96}, 3, "blocks=3 does not cut the 64, 96 virtual nodes .* into blocks of one size; give 4, or"),
        (64, 64, {9: 96}, 1, "blocks=1 does not cut .*; give 2, or leave it out"),
    ],
)
def test_refuses_a_batch_that_is_not_whole_blocks_of_whole_nodes(
    nodes: int, batch: int, schedule: dict[int, int], blocks: int | None, said: str
) -> None:
    with pytest.raises(SpecError, match=said):
        grown(nodes, batch, schedule, blocks)
