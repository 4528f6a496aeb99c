"""`vfnb verify`: train a run again here and say whether its fingerprints are equal."""

import argparse
import json
import sys
from contextlib import redirect_stdout
from dataclasses import asdict
from typing import TYPE_CHECKING

from vfnb.ground import SpecError

if TYPE_CHECKING:
    from vfnb.session import Verdict

EQUAL, DIFFERS = 0, 1


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command.

    Args:
        commands: Where to.
    """
    parser = commands.add_parser(
        "verify",
        help="train a run again here and compare fingerprints",
        description="Train a run again here and compare fingerprints. Exit status: 0 equal, 1 differs, 2 not done.",
    )
    parser.add_argument("run_", metavar="RUN", help="a run's directory or name, or its receipt.json")
    parser.add_argument("--task", metavar="WHERE:NAME", help="what it learned: module:name or script.py:name")
    parser.add_argument("--on", metavar="DEVICES", help="a number of devices, or names such as cpu:0/4")
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON alone")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print the verdict.

    Args:
        given: The command's arguments.

    Returns:
        0 where the run is equal, 1 where it differs.
    """
    # Whatever a task's script or the training prints goes elsewhere: the answer stands alone.
    with redirect_stdout(sys.stderr):
        verdict = _verified(given)
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

    return verify(given.run_, task_named(given.task), devices=devices_named(given.on))


def devices_named(text: str | None) -> int | list[str] | None:
    """Read devices as a line has them.

    Args:
        text: A number, or names joined by commas; None for what is usual.

    Returns:
        What a job takes.
    """
    if text is None or text.isdecimal():
        return None if text is None else int(text)
    return text.split(",")
