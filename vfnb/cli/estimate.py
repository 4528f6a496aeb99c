"""`vfnb estimate`: a known model's run on a target, as a card or as JSON."""

import argparse
import json

from vfnb.ground import SpecError
from vfnb.planning import batch_of, estimate_known, known_models, plain
from vfnb.spec import VirtualCluster


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command.

    Args:
        commands: Where to.
    """
    models = ", ".join(known_models())
    parser = commands.add_parser(
        "estimate",
        help="whether a model fits a target cluster, how long it takes there and what it costs",
        description=f"Estimate a run on a target cluster. Models: {models}. A BERT is the encoder without heads. "
        "Times are ranges; a measured step narrows them.",
    )
    parser.add_argument("model", metavar="MODEL", help="a known model's name, such as bert-large")
    parser.add_argument("--target", required=True, metavar="CLUSTER", help="such as 1024xTPUv3; TPUs count in chips")
    parser.add_argument("--batch", required=True, type=int, metavar="N", help="the global batch in samples")
    parser.add_argument("--sequence", type=int, metavar="N", help="tokens a sample (default: 128)")
    parser.add_argument(
        "--precision", metavar="P", help="fp32, tf32, fp16 or bf16 (default: what the target is usually trained in)"
    )
    parser.add_argument(
        "--calibrate",
        action="append",
        default=[],
        metavar="CLUSTER[@BATCH]=SECONDS",
        help="a measured step, such as 16xTPUv3=0.293, at the same batch a device unless @BATCH, a global batch, is "
        "given; can be given several times",
    )
    parser.add_argument("--steps", type=int, metavar="N", help="steps of the whole run (default: as papers train it)")
    parser.add_argument(
        "--price", type=float, metavar="USD", help="USD an hour and device, in place of the catalogue's"
    )
    parser.add_argument("--watts", type=float, metavar="W", help="watts a device, in place of its design power")
    parser.add_argument("--json", action="store_true", help="print the estimate as JSON alone")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print an estimate.

    Args:
        given: The command's arguments.

    Returns:
        0.
    """
    target = VirtualCluster.parse(given.target, global_batch=given.batch)
    found = estimate_known(
        given.model,
        target,
        steps=given.steps,
        sequence=given.sequence,
        precision=given.precision,
        measured=dict(_measured(text, batch_of(target)) for text in given.calibrate),
        price_usd_per_hour=given.price,
        watts=given.watts,
    )
    print(json.dumps(plain(found), indent=2, allow_nan=False) if given.json else found)
    return 0


def _measured(text: str, batch_per_device: int) -> tuple[VirtualCluster, float]:
    """Read a measured step."""
    where, _, seconds = text.rpartition("=")
    cluster, _, batch = where.partition("@")
    try:
        took, total = float(seconds), int(batch) if batch else None
    except ValueError as error:
        raise SpecError(
            f"--calibrate {text!r} is no measured step; write it like 16xTPUv3=0.293 or 16xTPUv3@4096=0.145"
        ) from error
    count = VirtualCluster.parse(cluster, global_batch=1).count
    return VirtualCluster.parse(cluster, global_batch=total or batch_per_device * count), took
