"""Whom to cite for a run, and how to say in a paper what was done, as plain text."""

from collections.abc import Sequence
from typing import Any

PAPER = """@inproceedings{or2022virtualflow,
  title = {VirtualFlow: Decoupling Deep Learning Models from the Underlying Hardware},
  author = {Or, Andrew and Zhang, Haoyu and Freedman, Michael J.},
  booktitle = {Proceedings of Machine Learning and Systems 4},
  year = {2022}
}"""
_SOFTWARE = """@software{{vfnb,
  title = {{vfnb}},
  author = {{The vfnb authors}},
  version = {{{version}}},
  license = {{Apache-2.0}}
}}"""
_PRECISION = {"no": "fp32", "bf16": "bf16 autocast", "fp16": "fp16 autocast with a loss scaler"}
_REDUCTION = {
    "exact": "Gradients were summed in an order-free way, so the parameters are the same bits on any mapping",
    "native": "Gradients were summed in fp32, so the parameters are equal up to rounding on other mappings",
}


def citation(version: str) -> str:
    """Give the entries to cite.

    Args:
        version: Of vfnb.

    Returns:
        BibTeX.
    """
    return f"{PAPER}\n\n{_SOFTWARE.format(version=version)}"


def methods(receipt: dict[str, Any], changes: Sequence[str]) -> str:
    """Describe a run as a paper's methods section would.

    Args:
        receipt: With its run, job, environment and mappings.
        changes: What happened to its workers, in words.

    Returns:
        A paragraph.
    """
    run, job, there = receipt["run"], receipt["job"], receipt["environment"]
    options = job["options"]
    said = [
        (
            f"{_last(job['model']['name'])} was trained on {job['data']['length']:,} samples for {run['step']:,} of "
            f"{run['steps']:,} steps of {job['cluster']['global_batch']:,} samples{_growth(options)}, "
            f"as on {run['cluster']}, with seed {job['seed']}"
        ),
        f"The optimizer was {_last(job['optimizer']['name'])}{_settings(job)} in {_PRECISION[options['precision']]}",
        (
            f"The cluster's devices were computed as {job['cluster']['count']:,} virtual nodes in {job['blocks']} "
            f"blocks (VirtualFlow; Or et al., 2022) by vfnb ({there['vfnb']}) with PyTorch {there['torch']} on "
            f"{_devices(receipt['mappings'])}"
        ),
        _REDUCTION[options["reduction"]],
    ]
    if changes:
        said.append(f"While it trained, {'; '.join(changes)}")
    if receipt["fingerprint"]:
        said.append(
            f"The SHA-256 of parameters, buffers and optimizer state after step {receipt['fingerprint_step']:,} is "
            f"{receipt['fingerprint']}"
        )
    return " ".join(f"{sentence}." for sentence in said)


def _growth(options: dict[str, Any]) -> str:
    steps = options.get("batch_schedule") or ()
    return "".join(f", then {batch:,} from step {step:,} on" for step, batch in steps)


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _settings(job: dict[str, Any]) -> str:
    groups = job["optimizer"]["groups"]
    if not groups:
        return ""
    shown = ("lr", "momentum", "betas", "weight_decay")
    said = [f"{name}={groups[0][name]}" for name in shown if groups[0].get(name)]
    schedule = job["schedule"]
    said += [f"schedule {_last(schedule['kind'])}"] if schedule else []
    clip = job["options"].get("clip_norm")
    said += [f"gradients clipped to norm {clip}"] if clip else []
    return f" ({', '.join(said)})" if said else ""


def _devices(mappings: Sequence[dict[str, Any]]) -> str:
    counts = sorted({len(one["workers"]) for one in mappings})
    kinds = sorted({worker["device"].partition(":")[0] for one in mappings for worker in one["workers"].values()})
    if not counts:
        return "no device yet"
    many = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"{many} {' and '.join(kinds)} {'worker' if counts == [1] else 'workers'}"
