"""Handing one worker's nested tensors on to the others, bit for bit; what is received is whole before it is used.

Tensors travel through the host's memory as bytes: of any type, between devices of any kinds. Small ones go together.
"""

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

from vfnb.runtime.group import Group

_SMALL = 1 << 16  # bytes below which tensors share one broadcast


@dataclass(frozen=True, slots=True, kw_only=True)
class _Blank:
    """What stands for a tensor until its bytes come."""

    shape: tuple[int, ...]
    dtype: torch.dtype


def hand_on(group: Group, value: Any, place: int) -> None:
    """Give a value to the other members.

    Args:
        group: Whose.
        value: Nested dicts, lists and tuples of CPU tensors and plain values.
        place: This worker's in the group.
    """
    group.gather(pickle.dumps(tree_map(_blank, value)))
    small, large = _lines([one.contiguous() for one in _tensors(value)])
    if small:
        group.broadcast_(torch.cat(small), place)
    for one in large:
        group.broadcast_(one, place)


def receive(group: Group, place: int) -> Any:
    """Take what another member hands on.

    Args:
        group: Whose.
        place: Where in the group the giver stands.

    Returns:
        The value, in memory of its own.
    """
    header = group.gather(b"")[place]
    value = tree_map(_room, pickle.loads(header))  # noqa: S301  # from our own group
    small, large = _lines(_tensors(value))
    if small:
        together = torch.cat(small)
        group.broadcast_(together, place)
        for one, part in zip(small, together.split([len(one) for one in small]), strict=True):
            one.copy_(part)
    for one in large:
        group.broadcast_(one, place)
    return value


def _lines(tensors: Sequence[torch.Tensor]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """View tensors as bytes: the small ones, then the large."""
    lines = [one.detach().reshape(-1).view(torch.uint8) for one in tensors if one.numel()]
    return [one for one in lines if len(one) < _SMALL], [one for one in lines if len(one) >= _SMALL]


def _tensors(value: Any) -> list[torch.Tensor]:
    return [one for one in tree_leaves(value) if isinstance(one, torch.Tensor)]


def _blank(leaf: Any) -> Any:
    return _Blank(shape=tuple(leaf.shape), dtype=leaf.dtype) if isinstance(leaf, torch.Tensor) else leaf


def _room(leaf: Any) -> Any:
    return torch.empty(leaf.shape, dtype=leaf.dtype) if isinstance(leaf, _Blank) else leaf
