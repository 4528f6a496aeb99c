"""One record of what a job is, written beside every checkpoint and compared when a job goes on from one."""

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Self

import torch
from torch import nn

from vfnb.ground import CheckpointError
from vfnb.numerics import fingerprint, restored_generators, unique_buffers
from vfnb.runtime import Source
from vfnb.session.blueprint import Blueprint
from vfnb.session.environment import numeric_environment
from vfnb.session.loss import ClassCriterion, MeanCriterion
from vfnb.session.samples import read_samples, spread
from vfnb.session.sources import architecture_of, code_of, described, digest_of, name_of, plain
from vfnb.spec import Options, VirtualCluster, from_json, to_json

VERSION = 1

_LOOKED_AT = 3  # samples of a data set that enter the record
# A checkpoint's weights replace the initial ones, functions are never saved, "auto" is a number elsewhere.
_NO_MATTER = ("model.initial", "functions", "options.nodes_per_pass")
_ENVIRONMENT = "environment."
_MOST_SHOWN = 16
_REMEDIES = {
    "collate": "options hold no function once they are read back: give it as the loader's collate_fn",
    "flags": "set the flag as it was",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """How a job differs from the one that a checkpoint was saved by, a sentence each.

    Attributes:
        refused: It is another job.
        warned: Its code has changed; what it computes may have.
        noted: It runs in another environment, so the same bits are not promised.
    """

    refused: tuple[str, ...]
    warned: tuple[str, ...]
    noted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Identity:
    """What a job is.

    Args:
        fields: Names to numbers, words, and dictionaries and lists of them.
    """

    fields: dict[str, Any]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an identity back.

        Args:
            text: What `text` gave.

        Returns:
            The identity.

        Raises:
            CheckpointError: If the text is none, or of another version.
        """
        try:
            fields = json.loads(text)
        except ValueError as error:
            raise CheckpointError(
                f"the checkpoint does not say what job it is of ({error}); take an older one"
            ) from error
        version = fields.get("version") if isinstance(fields, dict) else None
        if version != VERSION:
            raise CheckpointError(
                f"the checkpoint's job has version {version!r}; this vfnb reads {VERSION}: update vfnb"
            )
        return cls(fields)

    @property
    def text(self) -> str:
        """The record as JSON, the same for equal jobs."""
        return json.dumps(self.fields, sort_keys=True, separators=(",", ":"))

    @property
    def digest(self) -> str:
        """SHA-256 of the record."""
        return digest_of(self.text)

    @property
    def cluster(self) -> VirtualCluster:
        """The job's target."""
        return from_json(json.dumps(self.fields["cluster"]))  # type: ignore[return-value]  # its type is in it

    @property
    def options(self) -> Options:
        """The job's options without their functions, and with a number for nodes_per_pass="auto"."""
        options = from_json(json.dumps(self.fields["options"]))
        return replace(options, nodes_per_pass=self.fields["nodes_per_pass"])  # type: ignore[return-value]  # its type is in it

    @property
    def automatic(self) -> bool:
        """Whether the job halves its nodes_per_pass where a pass does not fit."""
        return bool(self.fields["options"]["nodes_per_pass"] == "auto")

    def against(self, saved: Self) -> Differences:
        """Compare with the identity that a checkpoint was saved with.

        Args:
            saved: The checkpoint's.

        Returns:
            The differences, the coarsest fields first.
        """
        here, there = dict(_flat(self.fields)), dict(_flat(saved.fields))
        other_torch = here.get("environment.torch") != there.get("environment.torch")
        refused: list[str] = []
        warned: list[str] = []
        noted: list[str] = []
        for field in sorted(here.keys() | there.keys(), key=_coarse_first):
            if here.get(field) == there.get(field) or field.startswith(_NO_MATTER):
                continue
            sentence = _sentence(field, there.get(field), here.get(field))
            if field.startswith(_ENVIRONMENT) or (other_torch and (field in here) != (field in there)):
                # A hyperparameter that only one version of torch knows does not make another job.
                noted.append(sentence)
            else:
                (warned if field.endswith(".source") else refused).append(sentence)
        return Differences(refused=tuple(refused), warned=tuple(warned), noted=tuple(noted))


def identity_of(blueprint: Blueprint, kinds: Sequence[str]) -> Identity:
    """Record what a job is; this reads a few samples and makes the optimizer once, for a copy of the model.

    Args:
        blueprint: The job.
        kinds: Of the devices that it begins on.

    Returns:
        The identity.
    """
    parts, options = blueprint.parts, blueprint.options
    evaluation = blueprint.evaluation
    optimizer, schedule = _made(blueprint)
    return Identity(
        {
            "version": VERSION,
            "cluster": json.loads(to_json(blueprint.cluster)),
            "options": json.loads(to_json(options)),
            "seed": blueprint.seed,
            "steps": blueprint.steps,
            "blocks": blueprint.layout.most_workers,
            "nodes_per_pass": blueprint.nodes_per_pass,
            "model": _model(blueprint.model),
            "loss": _loss(blueprint.loss),
            "data": _data(blueprint.train),
            "collate": described(blueprint.train.collate),
            "optimizer": optimizer,
            "schedule": schedule,
            "evaluation": None if evaluation is None else _data(evaluation),
            "predict": described(parts.predict) if parts.metrics else None,
            "metrics": {name: name_of(metric) for name, metric in parts.metrics.items()},
            "functions": {name: name_of(one) for name in ("stop_when", "on_event") if (one := getattr(options, name))},
            "flags": _flags(),
            "environment": _environment(kinds),
        }
    )


def _model(model: nn.Module) -> dict[str, Any]:
    tensors = dict(model.named_parameters()) | unique_buffers(model)
    return {
        "name": name_of(model),
        "source": code_of(model),
        "architecture": architecture_of(model),
        "initial": fingerprint(tensors),
    }


def _loss(loss: Any) -> dict[str, Any] | None:
    if not isinstance(loss, ClassCriterion | MeanCriterion):
        return described(loss)
    own = loss.criterion
    settings = {name: value for name, value in vars(own).items() if not name.startswith("_") and name != "training"}
    return {
        "name": name_of(own),
        "settings": plain(settings),
        "tensors": fingerprint(dict(own.named_buffers())),
    }


def _data(source: Source) -> dict[str, Any]:
    samples = read_samples(source.dataset, spread(len(source.dataset), _LOOKED_AT))
    digest = digest_of(json.dumps(samples, sort_keys=True))
    return {"length": len(source.dataset), "shuffle": source.shuffle, "samples": digest}


def _made(blueprint: Blueprint) -> tuple[dict[str, Any], dict[str, Any] | None]:
    parts = blueprint.parts
    # On a copy: the user's function may change the model that it is called with.
    model = deepcopy(blueprint.model)
    with restored_generators():
        optimizer = parts.optimizer(model)
        names = {id(parameter): name for name, parameter in model.named_parameters()}
        groups = [
            plain({key: value for key, value in group.items() if key != "params"})
            | {"params": [names[id(parameter)] for parameter in group["params"]]}
            for group in optimizer.param_groups
        ]
        schedule = None if parts.schedule is None else parts.schedule(optimizer, blueprint.steps)
    made = {"name": name_of(optimizer), "groups": groups}
    if parts.schedule is None or schedule is None:
        return made, None
    state = {key: value for key, value in schedule.state_dict().items() if not key.startswith("_")}
    return made, {"kind": name_of(schedule), **(described(parts.schedule.make) or {}), "state": plain(state)}


def _flags() -> dict[str, Any]:
    return {
        "default_dtype": str(torch.get_default_dtype()),
        "matmul_precision": torch.get_float32_matmul_precision(),
        "cudnn_tf32": torch.backends.cudnn.allow_tf32,
    }


def _environment(kinds: Sequence[str]) -> dict[str, str]:
    return {**numeric_environment(), "device_kinds": ", ".join(sorted(set(kinds)))}


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    match value:
        case Mapping() if value:
            for name, one in value.items():
                yield from _flat(one, f"{path}.{name}" if path else str(name))
        case list() if value:
            for place, one in enumerate(value):
                yield from _flat(one, f"{path}[{place}]")
        case _:
            yield path, value


def _coarse_first(field: str) -> tuple[int, str]:
    # Another optimizer is worth more words than each hyperparameter that comes with it.
    return field.count(".") + field.count("["), field


def _sentence(field: str, there: Any, here: Any) -> str:
    remedy = _REMEDIES.get(field.partition(".")[0])
    return f"{field} was {_shown(there)}, is {_shown(here)} here" + (f" ({remedy})" if remedy else "")


def _shown(value: Any) -> str:
    text = "nothing" if value is None or value in ({}, []) else str(value)
    return text if len(text) < 3 * _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
