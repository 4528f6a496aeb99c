"""`vfnb solve`: the fastest split of a step between kinds of devices, as text or as JSON."""

import argparse
import json
from pathlib import Path

from vfnb.ground import SpecError
from vfnb.planning import price, solve
from vfnb.spec import Speeds

_FORM = "write it like V100=2,P100=4"
_SPLIT_FORM = "write it like V100=16x192,P100=4x256"


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command.

    Args:
        commands: Where to.
    """
    parser = commands.add_parser(
        "solve",
        help="how to split a step between devices of different speed",
        description="Find the split of a global batch between kinds of devices that takes the least time.",
    )
    parser.add_argument("profile", metavar="PROFILE.json", help="what was measured of each kind")
    parser.add_argument("--devices", required=True, metavar="KIND=N,...", help="how many there are: V100=2,P100=4")
    parser.add_argument("--batch", required=True, type=int, metavar="N", help="the global batch in samples")
    parser.add_argument(
        "--rule",
        choices=("equal", "integer", "power-of-two"),
        default="equal",
        help="equal: nodes of one size (default); integer: a size a kind; power-of-two: the paper's, all devices",
    )
    parser.add_argument("--nodes", type=int, default=32, metavar="N", help="virtual nodes of rule equal (default: 32)")
    parser.add_argument(
        "--split", metavar="KIND=NxB,...", help="price this split: nodes a device x samples a node, all devices used"
    )
    parser.add_argument("--json", action="store_true", help="print the answer as JSON alone")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print a split.

    Args:
        given: The command's arguments.

    Returns:
        0.
    """
    speeds = Speeds.from_text(_read(given.profile))
    devices = {kind: _whole(number, given.devices, _FORM) for kind, number in _pairs(given.devices, _FORM).items()}
    if given.split is None:
        found = solve(speeds, devices, batch=given.batch, rule=given.rule, nodes=given.nodes)
    else:
        parts = _pairs(given.split, _SPLIT_FORM)
        found = price(
            speeds, devices, {kind: _part(part, given.split) for kind, part in parts.items()}, batch=given.batch
        )
    print(json.dumps(found.plain(), indent=2, allow_nan=False) if given.json else found)
    return 0


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"the profile {path} cannot be read ({error})") from error


def _pairs(text: str, form: str) -> dict[str, str]:
    pairs = [one.partition("=") for one in text.split(",")]
    kinds = [kind.strip() for kind, _, _ in pairs]
    if not all(kinds) or not all(equals for _, equals, _ in pairs) or len(set(kinds)) < len(kinds):
        raise SpecError(f"{text!r} does not name each kind once; {form}")
    return {kind: value.strip() for kind, (_, _, value) in zip(kinds, pairs, strict=True)}


def _part(part: str, text: str) -> tuple[int, int]:
    nodes, _, batch = part.partition("x")
    return _whole(nodes, text, _SPLIT_FORM), _whole(batch, text, _SPLIT_FORM)


def _whole(number: str, text: str, form: str) -> int:
    if not (number.isascii() and number.isdigit() and int(number) > 0):
        raise SpecError(f"{text!r} has {number!r} where a number of at least 1 stands; {form}")
    return int(number)
