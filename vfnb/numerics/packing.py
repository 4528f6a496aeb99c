"""What a model's tensors are, each once, and the digests that tell one state from another."""

import struct
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Protocol
from zlib import crc32

import torch
from torch import Tensor, nn

DIGEST_ELEMENTS = 4096


class _Sink(Protocol):
    def update(self, data: Any, /) -> None: ...


def unique_parameters(model: nn.Module) -> dict[str, nn.Parameter]:
    """Give the model's trainable parameters, tied ones once under the first of their names.

    Args:
        model: Any module.

    Returns:
        Parameters by name, in the model's own order.
    """
    return {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}


def unique_buffers(model: nn.Module) -> dict[str, Tensor]:
    """Give the model's buffers, those that are not saved too, tied ones once under the first of their names.

    Args:
        model: Any module.

    Returns:
        Buffers by name, in the model's own order.
    """
    return dict(model.named_buffers())


def fingerprint(tensors: Mapping[str, Any]) -> str:
    """Digest a state: equal digests mean equal bits, equal names, types and shapes.

    Neither the order of names nor where tensors lie (device, strides) enters it.

    Args:
        tensors: By name, tensors of any type, numbers, words, None, or lists, tuples and dicts of them.

    Returns:
        SHA-256 as 64 hex digits.

    Raises:
        TypeError: If a value is none of these.
    """
    digest = sha256()
    _feed(digest, dict(tensors), "")
    return digest.hexdigest()


def slice_digest(tensors: Sequence[Tensor], turn: int, size: int = DIGEST_ELEMENTS) -> float:
    """Digest a small slice of a state, another one each turn, to notice replicas that part.

    Turns go round the tensors, and at each round to the next slice of each, so a change anywhere is met in
    time; a one-bit change in the slice always changes the answer.

    Args:
        tensors: The state's tensors, in an order that is equal on all workers.
        turn: The step, or any other number that is equal on all workers and grows.
        size: How many elements to read.

    Returns:
        An integer below 2^32 as a float, so that it can ride on an fp64 MIN and MAX; 0 where there is
        nothing.
    """
    if not tensors:
        return 0.0
    round_, index = divmod(turn, len(tensors))
    tensor = tensors[index].detach()
    slices = -(-tensor.numel() // size)
    if not slices:
        return 0.0
    start = round_ % slices * size
    return float(crc32(_bytes(_elements(tensor, start, min(start + size, tensor.numel())))))


def _elements(tensor: Tensor, start: int, stop: int) -> Tensor:
    """Give a range of a tensor's elements in logical order, without copying the rest of it."""
    if tensor.is_contiguous():
        return tensor.view(-1)[start:stop]
    row = tensor.numel() // tensor.shape[0]
    first = start // row
    rows = tensor[first : -(-stop // row)]
    return rows.reshape(-1)[start - first * row : stop - first * row]


def _bytes(tensor: Tensor) -> memoryview:
    line = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous().view(-1)
    return line.view(torch.uint8).numpy().data


def _feed(digest: _Sink, value: Any, path: str) -> None:
    """Feed one value: its kind, its length and its bytes, so that no two values feed alike."""
    match value:
        case Tensor():
            _feed_tensor(digest, value, path)
        case None | bool() | int() | str():
            _text(digest, repr(value))
        case float():
            _text(digest, "float")
            digest.update(struct.pack("<d", value))  # its bits: -0.0 and every NaN differ
        case list() | tuple():
            _text(digest, f"list {len(value)}")
            _feed_items(digest, enumerate(value), path)
        case Mapping():
            _text(digest, f"dict {len(value)}")
            _feed_items(digest, sorted(value.items(), key=lambda item: repr(item[0])), path)
        case _:
            raise TypeError(f"{path} is a {type(value).__name__}, which has no digest; use tensors and numbers")


def _feed_items(digest: _Sink, items: Iterable[tuple[Any, Any]], path: str) -> None:
    for key, item in items:
        _text(digest, repr(key))
        _feed(digest, item, f"{path}.{key}" if path else str(key))


def _feed_tensor(digest: _Sink, tensor: Tensor, path: str) -> None:
    if tensor.layout != torch.strided:
        raise TypeError(f"{path} is a {tensor.layout} tensor, which has no digest; use a dense one")
    _text(digest, f"tensor {tensor.dtype} {tuple(tensor.shape)}")
    if tensor.numel():
        digest.update(_bytes(tensor))


def _text(digest: _Sink, text: str) -> None:
    encoded = text.encode()
    digest.update(struct.pack("<q", len(encoded)))
    digest.update(encoded)
