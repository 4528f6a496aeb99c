"""A run's receipt: all that its bits depend on, the fingerprints to compare with, and how to cite it."""

from collections.abc import Iterator, Sequence
from typing import Any

from vfnb.session.citation import citation, methods
from vfnb.session.journal import state_after
from vfnb.session.ledger import Ledger
from vfnb.session.sources import plain
from vfnb.spec import Device, Event, NodesPerPassHalved, Recovered, Resized, Stage, WorkerLost

VERSION = 1
KIND = "vfnb receipt"

_MOST = 1000  # fingerprints: a receipt stays readable whatever the run's length


def receipt_of(head: dict[str, Any], ledger: Ledger) -> dict[str, Any]:
    """Make a run's receipt.

    Args:
        head: What its run.json says.
        ledger: What is known of it.

    Returns:
        What JSON holds.
    """
    job = {name: value for name, value in head["identity"].items() if name not in ("version", "environment")}
    fingerprints = ledger.fingerprints
    last = max(fingerprints, default=0)
    receipt = {
        "version": VERSION,
        "type": KIND,
        "run": {
            **{name: head[name] for name in ("name", "cluster", "steps", "started", "resumed")},
            "state": state_after(ledger.events),
            "step": ledger.step,
        },
        "job": job,
        "environment": {
            **head["identity"]["environment"],
            "threads": _threads(ledger.stages),
            **head.get("environment", {}),
        },
        "code": head.get("code"),
        "halvings": _halvings(ledger.events),
        "fingerprint": fingerprints.get(last),
        "fingerprint_step": last,
        "fingerprint_notes": list(ledger.notes),
        "fingerprints": {str(step): text for step, text in thinned(fingerprints).items()},
        "mappings": [_mapping(stage) for stage in ledger.stages],
        "metrics": plain(ledger.measured),
        "citation": citation(head["identity"]["environment"]["vfnb"]),
    }
    return receipt | {"methods": methods(receipt, list(_changes(ledger.events)))}


def thinned(fingerprints: dict[int, str]) -> dict[int, str]:
    """Leave out fingerprints until a thousand are left: those at multiples of a power of two, and the last.

    Args:
        fingerprints: By step.

    Returns:
        Some of them, ascending.
    """
    steps, apart = sorted(fingerprints), 1
    while len(steps) > _MOST:
        apart *= 2
        steps = [step for step in steps[:-1] if step % apart == 0] + steps[-1:]
    return {step: fingerprints[step] for step in steps}


def _halvings(events: Sequence[Event]) -> list[list[int]]:
    found = {event.step: event.nodes_per_pass for event in events if isinstance(event, NodesPerPassHalved)}
    return [list(one) for one in sorted(found.items())]


def _threads(stages: Sequence[Stage]) -> str:
    counts = sorted({Device.parse(device).threads for stage in stages for device in stage.devices})
    return ", ".join(map(str, counts))


def _mapping(stage: Stage) -> dict[str, Any]:
    counts = stage.mapping.counts
    return {
        "after_step": stage.step,
        "at": stage.at,
        "workers": {
            str(worker): {"device": device, "virtual_nodes": counts[worker]}
            for worker, device in zip(stage.mapping.workers, stage.devices, strict=True)
        },
    }


def _changes(events: Sequence[Event]) -> Iterator[str]:
    for event in events:
        match event:
            case Resized(before=before, after=after):
                yield f"the run was resized from {len(before)} to {len(after)} workers at step {event.step:,}"
            case Recovered(before=before, after=after):
                yield f"{len(before)} workers became {len(after)} after step {event.step:,}"
            case WorkerLost(device=device):
                yield f"the worker on {device} was lost after step {event.step:,}"
            case _:
                pass
