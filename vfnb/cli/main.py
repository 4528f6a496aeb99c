"""The command line: a table of commands, and the exit status."""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from vfnb.cli import estimate, profile, simulate, solve, verify
from vfnb.ground import VfnbError

USAGE = 2
_COMMANDS = (estimate, profile, simulate, solve, verify)


class _Parser(argparse.ArgumentParser):
    """Says a mistake in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.prog}: {message}; see {self.prog} --help\n")


def main(words: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        words: Its words; None takes the process's own.

    Returns:
        The exit status: the command's, or 2 where it cannot be done.
    """
    parser = _Parser(prog="vfnb", description="Train the run of a large cluster on the devices you have.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    for command in _COMMANDS:
        command.add(commands)
    given = parser.parse_args(words)
    try:
        return int(given.run(given))
    except VfnbError as error:
        print(f"vfnb {given.command}: {error}", file=sys.stderr)
        return USAGE
