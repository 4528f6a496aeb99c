"""`vfnb profile`: measure a task on this machine's devices, and print the profile as JSON."""

import argparse
import json
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from vfnb.cli.verify import devices_named
from vfnb.ground import SpecError
from vfnb.spec import to_json

if TYPE_CHECKING:
    from vfnb.spec import Profile


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command.

    Args:
        commands: Where to.
    """
    parser = commands.add_parser(
        "profile",
        help="how fast this machine's devices are at a task",
        description="Measure passes of a task on each kind of device, and print the profile as JSON: vfnb solve takes "
        "it. What was measured before is read from the cache.",
    )
    parser.add_argument("--task", metavar="WHERE:NAME", required=True, help="module:name or script.py:name")
    parser.add_argument("--on", metavar="DEVICES", help="a number of devices, or names such as cpu:0,cuda:0")
    parser.add_argument("--batches", metavar="N,...", help="samples of a pass; 1, 2, 3, 4, 6, 8, ... without it")
    parser.add_argument("--fresh", action="store_true", help="measure again what is in the cache")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print a profile.

    Args:
        given: The command's arguments.

    Returns:
        0.
    """
    # Whatever the task's script prints goes elsewhere: the profile stands alone.
    with redirect_stdout(sys.stderr):
        found = _profile(given)
    print(json.dumps(json.loads(to_json(found)), indent=1))
    return 0


def _profile(given: argparse.Namespace) -> "Profile":
    batches = None if given.batches is None else [_whole(one) for one in given.batches.split(",")]
    # Only now: torch takes seconds to load, which a misspelt command or --help need not wait for.
    from vfnb.cli.task_file import task_named
    from vfnb.session import profile

    return profile(task_named(given.task), devices_named(given.on), batches=batches, fresh=given.fresh)


def _whole(text: str) -> int:
    if not text.strip().isdecimal():
        raise SpecError(f"--batches has {text!r} where a number of samples stands; write it like 8,16,32")
    return int(text)
