"""`%vflow paper`: a table, a card, and a mistake in one line."""

from typing import Any

import pytest
from IPython.core.error import UsageError
from shells import MAGICS

from vfnb.notebook.verbs import VERBS
from vfnb.papers import Card


def test_papers_are_a_table_and_one_of_them_a_card(shell: Any) -> None:
    table = shell.run_line_magic("vflow", "paper")
    shown = shell.run_line_magic("vflow", "paper goyal-linear-scaling")

    assert "goyal-linear-scaling" in table.index
    assert isinstance(shown, Card)
    assert shown.recipe.name == "goyal-linear-scaling"


def test_a_paper_that_is_not_there_is_one_line(shell: Any) -> None:
    with pytest.raises(UsageError, match="recipe 'goyal' is unknown; the nearest are goyal-"):
        shell.run_line_magic("vflow", "paper goyal")


def test_tab_offers_the_recipes(shell: Any) -> None:
    flow = shell.magics_manager.registry[MAGICS].flow

    assert "lamb-bert-32k" in VERBS["paper"].offers(flow, "la")
