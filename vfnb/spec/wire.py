"""The records as JSON text with a version, strict JSON for any reader, and back to equal values.

A record is an object with its "type"; a nested one says "$type". Tuples are lists. A float that JSON has no
word for is {"$float": "nan"}. A "$" that begins the key of a plain dictionary is doubled.
"""

import json
from dataclasses import MISSING, fields, is_dataclass
from math import isfinite
from typing import Any, get_args

from vfnb.ground import SpecError, VfnbError
from vfnb.spec.accelerator import Accelerator
from vfnb.spec.cluster import VirtualCluster
from vfnb.spec.device import Device
from vfnb.spec.events import Event
from vfnb.spec.layout import Layout
from vfnb.spec.mapping import Mapping
from vfnb.spec.options import CALLABLES, Options
from vfnb.spec.row import Row
from vfnb.spec.stage import Stage
from vfnb.spec.weighted import Weighted

VERSION = 1

Record = Accelerator | Device | Layout | Mapping | Options | Row | Stage | VirtualCluster | Weighted | Event

_TYPES: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Record)}
_LEFT_OUT = {Options: CALLABLES}


def to_json(value: Record) -> str:
    """Write a record as one line of JSON; `from_json` gives an equal one back.

    Functions are left out: options read back have none.

    Args:
        value: The record.

    Returns:
        The text, with its version and type.

    Raises:
        SpecError: If the value is no record of this room, or holds what JSON cannot say (a tensor).
    """
    if type(value) not in _TYPES.values():
        raise SpecError(f"{type(value).__name__} is no record that can be written; give one of {_known()}")
    head = {"version": VERSION, "type": type(value).__name__}
    return json.dumps(head | _written_fields(value), allow_nan=False, ensure_ascii=False)


def from_json(text: str) -> Record:
    """Read a record from its JSON text.

    Args:
        text: What `to_json` wrote.

    Returns:
        The record, checked as if it had been made here.

    Raises:
        SpecError: If the text is not JSON of a known version and type, or a field is missing, unknown or
            wrong; a mapping that cannot be is a PlanError as elsewhere.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SpecError(f"the text {text[:80]!r} is not JSON ({error}); give what to_json wrote") from error
    if not isinstance(found, dict):
        raise SpecError(f"the text {text[:80]!r} is no JSON object; give what to_json wrote")
    version = found.pop("version", None)
    if version != VERSION or isinstance(version, bool):
        raise SpecError(f"version={version!r} cannot be read, only {VERSION}; use the vfnb that wrote it")
    return _record(found.pop("type", None), found)  # type: ignore[no-any-return]  # _TYPES has records only


def _written_fields(record: Any) -> dict[str, object]:
    left_out = _LEFT_OUT.get(type(record), ())
    return {one.name: _written(getattr(record, one.name)) for one in fields(record) if one.name not in left_out}


def _written(value: object) -> object:
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if isfinite(value) else {"$float": str(float(value))}
        case list() | tuple():
            return [_written(one) for one in value]
        case dict():
            return {_escaped(key): _written(one) for key, one in value.items()}
        case _ if is_dataclass(value) and type(value) in _TYPES.values():
            return {"$type": type(value).__name__, **_written_fields(value)}
        case _:
            kind = type(value).__name__
            raise SpecError(f"{value!r} of type {kind} cannot be written as JSON; make it a plain number")


def _read(value: object) -> Any:
    match value:
        case {"$float": str() as number}:
            return _float(number)
        case {"$type": kind, **rest}:
            return _record(kind, {str(name): one for name, one in rest.items()})
        case dict():
            return {key.removeprefix("$"): _read(one) for key, one in value.items()}
        case list():
            return tuple(_read(one) for one in value)
        case _:
            return value


def _record(kind: object, written: dict[str, object]) -> Any:
    record = _TYPES.get(kind) if isinstance(kind, str) else None
    if record is None:
        raise SpecError(f"type={kind!r} is unknown; known are {_known()}")
    known = {one.name: one.default is MISSING and one.default_factory is MISSING for one in fields(record)}
    unknown = sorted(set(written) - set(known))
    missing = sorted(name for name, needed in known.items() if needed and name not in written)
    if unknown or missing:
        raise SpecError(f"{kind} has unknown fields {unknown} and lacks {missing}; give what to_json wrote")
    return _made(record, {name: _read(value) for name, value in written.items()})


def _made(record: type[Any], values: dict[str, object]) -> Any:
    try:
        return record(**values)
    except VfnbError:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        raise SpecError(f"a {record.__name__} cannot hold {values} ({error})") from error


def _float(text: str) -> float:
    if text not in {"nan", "inf", "-inf"}:
        raise SpecError(f"$float={text!r} is unknown; it is 'nan', 'inf' or '-inf'")
    return float(text)


def _escaped(key: object) -> str:
    if not isinstance(key, str):
        raise SpecError(f"the key {key!r} cannot be written as JSON; keys are text")
    return f"${key}" if key.startswith("$") else key


def _known() -> str:
    return ", ".join(sorted(_TYPES))
