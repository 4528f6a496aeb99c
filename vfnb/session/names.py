"""Names for runs that nobody named: readable, and unlike those that are there."""

from collections.abc import Callable
from random import SystemRandom

_QUALITIES = (
    "amber", "bold", "brave", "bright", "brisk", "calm", "clear", "clever", "cosy", "crisp", "daring",
    "eager", "fair", "fleet", "fond", "free", "gentle", "glad", "golden", "grand", "keen", "kind",
    "light", "lively", "lucid", "merry", "mild", "neat", "noble", "patient", "plain", "proud", "quick",
    "quiet", "ready", "rosy", "sharp", "silver", "sleek", "snug", "solid", "steady", "still", "sunny",
    "swift", "tidy", "true", "warm",
)  # fmt: skip
_BIRDS = (
    "auk", "avocet", "bittern", "crane", "curlew", "dipper", "dove", "dunlin", "eider", "finch",
    "gannet", "goose", "grebe", "gull", "harrier", "heron", "hobby", "hoopoe", "ibis", "jay", "kestrel",
    "kite", "lapwing", "lark", "linnet", "loon", "magpie", "martin", "merlin", "oriole", "osprey",
    "owl", "petrel", "pipit", "plover", "puffin", "quail", "raven", "robin", "ruff", "shrike", "siskin",
    "snipe", "stork", "swan", "swift", "teal", "tern", "thrush", "wren",
)  # fmt: skip


def unique_name(taken: Callable[[str], bool]) -> str:
    """Make a name that is not taken.

    Args:
        taken: Tells whether a name is.

    Returns:
        Such as "brisk-plover-417".
    """
    # The system's own generator: the user's are not to be moved by a name.
    chance = SystemRandom()
    while True:
        name = f"{chance.choice(_QUALITIES)}-{chance.choice(_BIRDS)}-{chance.randrange(100, 1000)}"
        if not taken(name):
            return name
