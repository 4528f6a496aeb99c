"""`paper`: published experiments, as a table or as one's card."""

from argparse import Namespace
from typing import TYPE_CHECKING

from vfnb.notebook.flow import VFlow

if TYPE_CHECKING:
    import pandas as pd

    from vfnb.papers import Card


def paper(_: VFlow, given: Namespace) -> "pd.DataFrame | Card":
    """Show the published experiments that can be run, or one of them.

    Args:
        given: The word is a recipe's name.

    Returns:
        A table, or the recipe's card.
    """
    from vfnb.papers import card
    from vfnb.papers import list as those_known

    return card(given.words[0]) if given.words else those_known()
