"""Sliders can't make an illegal mapping."""

from hypothesis import given
from hypothesis import strategies as st
from telling import mapping

from vfnb.notebook.panel.sliders import blocks_of, counts, coupled, evened, nodes
from vfnb.planning import by_counts
from vfnb.spec import Layout


@st.composite
def standing(draw: st.DrawFn) -> tuple[Layout, tuple[int, ...]]:
    """Draw a layout and blocks for some workers."""
    total = draw(st.integers(1, 200))
    layout = Layout.of(total, draw(st.integers(1, min(total, 40))))
    workers = draw(st.integers(1, min(8, layout.blocks)))
    cuts = sorted(draw(st.permutations(range(1, layout.blocks)))[: workers - 1])
    return layout, tuple(end - start for start, end in zip([0, *cuts], [*cuts, layout.blocks], strict=True))


@given(standing(), st.data())
def test_whatever_slider_moves_whereto_a_mapping_comes_of_it(
    start: tuple[Layout, tuple[int, ...]], data: st.DataObject
) -> None:
    layout, blocks = start
    for _ in range(3):
        moved = data.draw(st.integers(0, len(blocks) - 1))
        wanted = data.draw(st.integers(-5, layout.blocks + 5))
        blocks = coupled(blocks, moved, wanted)

        most = layout.blocks - len(blocks) + 1
        assert blocks[moved] == (min(max(1, wanted), most) if len(blocks) > 1 else layout.blocks)
        asked = counts(layout, range(len(blocks)), blocks)
        assert by_counts(layout, asked).counts == asked


@given(standing())
def test_even_differs_by_at_most_one(start: tuple[Layout, tuple[int, ...]]) -> None:
    _, blocks = start

    assert sum(evened(blocks)) == sum(blocks)
    assert max(evened(blocks)) - min(evened(blocks)) <= 1


def test_what_one_gains_the_largest_gives() -> None:
    assert coupled((10, 4, 2), 2, 5) == (7, 4, 5)
    assert coupled((10, 4, 2), 0, 6) == (6, 5, 5)


def test_a_slider_that_stays_moves_nothing() -> None:
    assert coupled((10, 4, 2), 1, 4) == (10, 4, 2)


def test_blocks_are_read_off_a_mapping_and_said_in_virtual_nodes() -> None:
    assert blocks_of(mapping(20, 12)) == (20, 12)
    assert nodes(Layout.of(5, 2), (1, 1)) == (3, 2)
