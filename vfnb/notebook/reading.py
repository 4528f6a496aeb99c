"""Reading a line of `%vflow`: its verb, words and flags; a mistake is one sentence with what to write instead."""

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from IPython.core.error import UsageError
from IPython.core.magic_arguments import MagicArgumentParser

from vfnb.notebook.flow import meant
from vfnb.notebook.verbs import VERBS, Flag, Verb, manual, overview

_parser_of: Callable[..., ArgumentParser] = MagicArgumentParser  # not typed in every version of IPython
_HELP = ("-h", "--help")


def read(line: str) -> tuple[Verb, Namespace] | str:
    """Read a line.

    Args:
        line: What stands behind `%vflow`.

    Returns:
        The verb and what it is given; or the help that the line asks for.

    Raises:
        UsageError: If the line is wrong.
    """
    try:
        name, *words = shlex.split(line) or ["help"]
    except ValueError as error:
        raise UsageError(f"%vflow {line}: {error}; write a quote twice, or none") from None
    if name in ("help", *_HELP):
        return overview()
    verb = VERBS.get(name)
    if verb is None:
        raise UsageError(f"%vflow has no verb {name!r}; {meant(name, VERBS) or 'it has ' + ', '.join(VERBS)}")
    if any(word in _HELP for word in words):
        return manual(name)
    _refuse_unknown_flags(name, verb, words)
    # Intermixed: `run --on 2 task` means what `run task --on 2` does.
    given: Namespace = _parser(name, verb).parse_intermixed_args(words)
    if verb.words is not None and len(given.words) > verb.words:
        takes = f"it takes {', '.join(verb.flags)}" if verb.flags else f"write: %vflow {verb.example}"
        raise UsageError(f"{name} takes no {given.words[verb.words]!r}; {takes}")
    return verb, given


def _refuse_unknown_flags(name: str, verb: Verb, words: list[str]) -> None:
    for word in words:
        flag = word.split("=")[0]
        if flag.startswith("--") and flag not in verb.flags:
            takes = meant(flag, verb.flags) or f"it takes {', '.join(verb.flags) or 'no flags'}"
            raise UsageError(f"{name} takes no {flag}; {takes}")


def _parser(name: str, verb: Verb) -> ArgumentParser:
    parser = _parser_of(prog=f"%vflow {name}")
    parser.allow_abbrev = False
    parser.add_argument("words", nargs="*")
    for flag, one in verb.flags.items():
        _add(parser, flag, one)
    return parser


def _add(parser: ArgumentParser, flag: str, one: Flag) -> None:
    if not one.value:
        parser.add_argument(flag, action="store_true")
    elif one.value.startswith("["):
        parser.add_argument(flag, nargs="?", const="", type=one.read)
    else:
        parser.add_argument(flag, type=one.read)
