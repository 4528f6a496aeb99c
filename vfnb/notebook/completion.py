"""What Tab offers behind `%vflow`: verbs, then what stands where the cursor is."""

from typing import Any

from vfnb.notebook.flow import VFlow
from vfnb.notebook.verbs import VERBS


def complete(flow: VFlow, event: Any) -> list[str]:
    """Offer what may stand where the cursor is.

    Args:
        flow: What `%vflow` remembers.
        event: What is being completed: the `text_until_cursor`, and the `symbol` that is begun there, which is less
            than a word where the word has a colon or a comma.

    Returns:
        What fits, from the symbol's beginning on.
    """
    line = event.text_until_cursor.rpartition("\n")[2].partition("vflow")[2]
    *before, word = line.split(" ") if line else ["", ""]
    before = [one for one in before if one]
    flag, equals, value = word.partition("=")
    if equals:
        before, word = [*before, flag], value
    typed = len(word) - len(event.symbol)
    return [offer[typed:] for offer in _offered(flow, before, word) if offer.startswith(word)]


def _offered(flow: VFlow, before: list[str], word: str) -> list[str]:
    if not before:
        return list(VERBS)
    verb = VERBS.get(before[0])
    if verb is None:
        return []
    flag = verb.flags.get(before[-1])
    if flag is not None and flag.value:
        return list(flag.offers(flow, word))
    return [*verb.offers(flow, word), *(one for one in verb.flags if one not in before)]
