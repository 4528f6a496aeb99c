"""Nested tensors handed on from one member of a group to another."""

import copy

import torch
from together import Together, side_by_side

from vfnb.numerics import fingerprint
from vfnb.runtime.handing import hand_on, receive

VALUE = {
    "norm": 0.1,
    "name": None,
    "slots": [{"step": torch.tensor(3.0)}, {"on": torch.tensor([True, False]), "empty": torch.zeros(0)}],
    "large": torch.arange(60_000, dtype=torch.float64).view(200, 300).t(),
    "short": (torch.randn(5).bfloat16(), torch.tensor([1 + 2j])),
}


def test_what_is_received_is_what_was_handed_on() -> None:
    kept = copy.deepcopy(VALUE)

    def give(group: Together) -> None:
        hand_on(group, VALUE, 1)

    def take(group: Together) -> object:
        return receive(group, 1)

    first, _, third = side_by_side([take, give, take])

    assert fingerprint({"all": first}) == fingerprint({"all": third}) == fingerprint({"all": kept})
    assert first["large"].data_ptr() != third["large"].data_ptr()
