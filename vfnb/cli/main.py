"""The command line: what is asked, what is printed, and the exit status."""

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from typing import TYPE_CHECKING, NoReturn

from vfnb.ground import SpecError, VfnbError

if TYPE_CHECKING:
    from vfnb.session import Verdict

EQUAL, DIFFERS, USAGE = 0, 1, 2


class _Parser(argparse.ArgumentParser):
    """Says a mistake in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.prog}: {message}; see {self.prog} --help\n")


def main(words: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        words: Its words; None takes the process's own.

    Returns:
        The exit status: 0 where a run is equal, 1 where it differs, 2 where the command cannot be done.
    """
    given = _parser().parse_args(words)
    try:
        # Whatever a task's script or the training prints goes elsewhere: the answer stands alone.
        with redirect_stdout(sys.stderr):
            verdict = _verified(given)
    except VfnbError as error:
        print(f"vfnb verify: {error}", file=sys.stderr)
        return USAGE
    print(json.dumps(asdict(verdict)) if given.json else verdict)
    return EQUAL if verdict.equal else DIFFERS


def _verified(given: argparse.Namespace) -> "Verdict":
    if given.task is None:
        raise SpecError(
            "a run's files hold no code, so verify must be told what it learned; "
            "give --task module:name or --task script.py:name"
        )
    # Only now: torch takes seconds to load, which a misspelt command or --help need not wait for.
    from vfnb.cli.task_file import task_named
    from vfnb.session import verify

    on = given.on if given.on is None or not given.on.isdecimal() else int(given.on)
    return verify(given.run, task_named(given.task), devices=on.split(",") if isinstance(on, str) else on)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="vfnb", description="Train the run of a large cluster on the devices you have.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    check = commands.add_parser(
        "verify",
        help="train a run again here and compare fingerprints",
        description="Train a run again here and compare fingerprints. Exit status: 0 equal, 1 differs, 2 not done.",
    )
    check.add_argument("run", metavar="RUN", help="a run's directory or name, or its receipt.json")
    check.add_argument("--task", metavar="WHERE:NAME", help="what it learned: module:name or script.py:name")
    check.add_argument("--on", metavar="DEVICES", help="a number of devices, or names such as cpu:0/4")
    check.add_argument("--json", action="store_true", help="print the verdict as JSON alone")
    return parser
