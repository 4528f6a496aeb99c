"""A recipe's card: published tables with their source, the full and the scaled recipe, and times for both."""

import re

import pytest

from vfnb.papers import card
from vfnb.papers.reading import recipes

# The others' scaled models are counted on weights that are fetched, in seconds each.
OFFLINE = [name for name, recipe in recipes().items() if recipe.version("binder").model != "minilm"]


def test_lambs_card_has_the_published_table_both_recipes_and_their_times() -> None:
    shown = repr(card("lamb-bert-32k"))

    assert "You et al. (2019), Large Batch Optimization for Deep Learning" in shown
    assert re.search(r"^LAMB +32k +15.6k +91.46 +1,024 +101.2 min$", shown, flags=re.MULTILINE)
    assert "(arXiv 1904.00962v5, table 1: recalled, and not compared with the paper since)" in shown
    full, gpu, here = (part.splitlines() for part in shown.split("\n== ")[2:])
    assert (full[0], gpu[0], here[0]) == ("as it was published", "on one GPU", "here, on one core")
    assert any("0.000625 at batch 512, by the square-root rule" in line for line in full)
    assert any(line.startswith("on the target") and "(an estimate)" in line for line in full)
    assert any(line.startswith("on the target") and "(an estimate)" in line for line in here)
    assert any("3.2 s a run on one thread" in line for line in here)
    assert any("which no laptop trains" in line for line in here)


@pytest.mark.parametrize("name", OFFLINE)
def test_every_card_is_shown_in_a_notebook_and_in_a_terminal(name: str) -> None:
    shown = card(name)

    html = shown._repr_html_()
    assert html.count("<div>") == html.count("</div>") == 1
    assert len(html) < 30_000
    for results in shown.recipe.published:
        assert results.source in repr(shown)


def test_what_cannot_be_estimated_says_why() -> None:
    assert "not estimated: the paper's devices are not known here" in repr(card("keskar-generalization-gap"))
