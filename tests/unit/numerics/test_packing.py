from math import nan, nextafter

import pytest
import torch
from torch import nn

from vfnb.numerics import fingerprint, slice_digest, unique_buffers, unique_parameters


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(5, 4)
        self.head = nn.Linear(4, 5, bias=False)
        self.head.weight = self.embed.weight
        self.frozen = nn.Linear(4, 4).requires_grad_(False)
        self.norm = nn.BatchNorm1d(4)
        self.other = nn.BatchNorm1d(4, affine=False)
        self.other.running_mean = self.norm.running_mean
        self.register_buffer("mask", torch.ones(2), persistent=False)


def test_tied_weights_count_once_under_their_first_name_and_frozen_ones_not() -> None:
    assert list(unique_parameters(Tied())) == ["embed.weight", "norm.weight", "norm.bias"]


def test_tied_buffers_count_once_and_those_that_are_not_saved_too() -> None:
    names = list(unique_buffers(Tied()))

    assert "norm.running_mean" in names
    assert "other.running_mean" not in names
    assert "mask" in names


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("place", [0, 7, 14])
def test_one_ulp_changes_the_fingerprint(dtype: torch.dtype, place: int) -> None:
    tensor = torch.randn(3, 5).to(dtype)
    other = tensor.clone()
    one = other.view(-1)[place : place + 1]
    one.copy_(torch.nextafter(one, one + 1))

    assert fingerprint({"a": tensor}) != fingerprint({"a": other})


def test_the_order_of_names_does_not_matter_but_the_names_do() -> None:
    a, b = torch.ones(2), torch.zeros(2)

    assert fingerprint({"a": a, "b": b}) == fingerprint({"b": b, "a": a})
    assert fingerprint({"a": a, "b": b}) != fingerprint({"a": b, "b": a})


def test_strides_do_not_matter() -> None:
    tensor = torch.randn(4, 6)

    assert fingerprint({"a": tensor}) == fingerprint({"a": tensor.t().contiguous().t()})


def test_type_and_shape_matter_where_the_bytes_are_equal() -> None:
    tensor = torch.zeros(4)
    digests = {
        fingerprint({"a": one}) for one in (tensor, tensor.view(2, 2), tensor.int(), torch.zeros(2, dtype=torch.int64))
    }

    assert len(digests) == 4


def test_every_type_has_a_fingerprint() -> None:
    kinds = (torch.bool, torch.int64, torch.uint8, torch.bfloat16, torch.complex64, torch.float8_e4m3fn)

    assert len({fingerprint({"a": torch.zeros((), dtype=kind)}) for kind in kinds}) == len(kinds)
    assert len({fingerprint({"a": torch.empty(shape)}) for shape in ((0,), (0, 2))}) == 2


def test_a_fingerprint_is_64_hex_digits_and_stays_over_releases() -> None:
    state = {
        "w": torch.arange(3.0),
        "groups": [{"lr": 0.1, "betas": (0.9, 0.999), "name": "a", "flag": None}],
    }

    assert fingerprint(state) == "b8d4bc36f3d139eb9f7b0a912eb2ddd87577c4a338f68e259a2cb67c3354ff90"


def test_leaves_are_told_apart() -> None:
    leaves = [
        0,
        0.0,
        -0.0,
        "0",
        False,
        None,
        nan,
        [],
        {},
        [[]],
        [0],
        {"a": 0},
        {"a": [0]},
        {0: 0},
        nextafter(0.0, 1.0),
    ]

    assert len({fingerprint({"a": leaf}) for leaf in leaves}) == len(leaves)
    assert fingerprint({"a": [1, [2]]}) != fingerprint({"a": [[1], 2]})
    assert fingerprint({"a": (1, 2)}) == fingerprint({"a": [1, 2]})


def test_what_has_no_digest_is_named() -> None:
    with pytest.raises(TypeError, match=r"state\.x\.1 is a object"):
        fingerprint({"state": {"x": [1, object()]}})
    with pytest.raises(TypeError, match="sparse"):
        fingerprint({"a": torch.ones(2).to_sparse()})


def test_over_its_turns_a_slice_digest_meets_every_element() -> None:
    tensors = [
        torch.randn(2500),
        torch.randn(30, 70),
        torch.randn(()),
        torch.randn(40, 60).t(),
        torch.empty(0),
    ]
    turns = range(len(tensors) * 3)
    before = [slice_digest(tensors, turn, size=1000) for turn in turns]

    for index, tensor in enumerate(tensors):
        for place in {0, tensor.numel() // 2, tensor.numel() - 1} if tensor.numel() else ():
            changed = [one.clone() for one in tensors]
            flat = changed[index].reshape(-1).clone()
            flat[place] = torch.nextafter(flat[place], flat[place] + 1)
            changed[index] = flat.view(tensor.shape)
            after = [slice_digest(changed, turn, size=1000) for turn in turns]
            assert sum(one != other for one, other in zip(before, after, strict=True)) >= 1


def test_a_slice_digest_does_not_see_strides() -> None:
    tensor = torch.randn(64, 64)

    assert [slice_digest([tensor], turn, 500) for turn in range(10)] == [
        slice_digest([tensor.t().contiguous().t()], turn, 500) for turn in range(10)
    ]


def test_a_slice_digest_is_an_integer_that_fp64_holds() -> None:
    found = slice_digest([torch.randn(10)], 3)

    assert found == int(found)
    assert 0 <= found < 2**52
    assert slice_digest([], 3) == 0.0
