"""Looking at a data set's samples: taken apart into named fields, read under a seed, digested."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import torch

from vfnb.numerics import fingerprint, restored_generators, seed_generators, seed_of
from vfnb.runtime import MapStyle

_DEEPEST = 8  # a sample that nests deeper, or holds itself, is looked at no further


def read_samples(dataset: MapStyle, indices: Sequence[int]) -> dict[int, dict[str, str]]:
    """Read samples, each under a seed of its own, and leave the global generators as they were.

    Args:
        dataset: The data set.
        indices: Which samples, in the order they are read.

    Returns:
        By index, the digest of each of the sample's fields.
    """
    read = {}
    with restored_generators():
        for index in indices:
            seed_generators(seed_of("a look at sample", index))
            read[index] = field_digests(dataset[index])
    return read


def field_digests(sample: Any) -> dict[str, str]:
    """Digest a sample's fields.

    Args:
        sample: Tensors, arrays, numbers, words or images, in tuples, lists, dictionaries or dataclasses.

    Returns:
        A digest by field ("0", "image", "boxes.2"; "" for a sample that is one field); equal for equal bits.
        Of what cannot be digested only the type counts.
    """
    return {path: fingerprint({"": value}) for path, value in _fields(sample, "", _DEEPEST)}


def spread(samples: int, most: int) -> tuple[int, ...]:
    """Choose a few samples all over a data set, the first and the last among them.

    Args:
        samples: The data set's length, 1 or more.
        most: How many at most, 2 or more.

    Returns:
        Their indices, ascending.
    """
    return tuple(sorted({place * (samples - 1) // (most - 1) for place in range(most)}))


def _fields(value: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
    parts = _parts(value) if depth else None
    if parts is None:
        yield path, _leaf(value)
        return
    yield f"{path}.len" if path else "len", len(parts)
    for name, part in parts.items():
        yield from _fields(part, f"{path}.{name}" if path else str(name), depth - 1)


def _parts(value: Any) -> dict[Any, Any] | None:
    match value:
        case Mapping():
            return dict(value)
        case list() | tuple():
            return dict(enumerate(value))
        case _ if is_dataclass(value) and not isinstance(value, type):
            return {one.name: getattr(value, one.name) for one in fields(value)}
        case _:
            return None


def _leaf(value: Any) -> Any:
    """Give what `fingerprint` can digest."""
    match value:
        case torch.Tensor():
            return value.detach() if value.layout is torch.strided else f"{value.layout} {tuple(value.shape)}"
        case None | bool() | int() | float() | complex() | str():
            return value
        case bytes():
            return value.hex()
        case np.ndarray() | np.generic():
            array = np.asarray(value)
            plain = array.dtype.kind in "biufcSUMm"
            return [str(array.dtype), list(array.shape), array.tobytes().hex() if plain else "objects"]
        case _ if hasattr(value, "tobytes") and hasattr(value, "size"):  # an image
            return [str(getattr(value, "mode", "")), str(value.size), value.tobytes().hex()]
        case _:
            return [f"of type {type(value).__qualname__}"]
