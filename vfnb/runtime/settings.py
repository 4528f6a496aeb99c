"""Torch's process-wide flags: captured where the run is described, set wherever it is computed."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

Flags = dict[str, bool | str]


def flags() -> Flags:
    """Read the flags that change what is computed.

    Returns:
        By name, plain values.
    """
    return {
        "default_dtype": str(torch.get_default_dtype()).removeprefix("torch."),
        "matmul_precision": torch.get_float32_matmul_precision(),
        "cudnn_tf32": torch.backends.cudnn.allow_tf32,
    }


def apply_flags(captured: Flags) -> None:
    """Set what `flags` read.

    Args:
        captured: The flags.
    """
    torch.set_default_dtype(getattr(torch, str(captured["default_dtype"])))
    torch.set_float32_matmul_precision(str(captured["matmul_precision"]))
    torch.backends.cudnn.allow_tf32 = bool(captured["cudnn_tf32"])


@contextmanager
def deterministic() -> Iterator[None]:
    """Compute with deterministic kernels where there are any; the flags come back as they were.

    Yields:
        Nothing.
    """
    before = (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
    )
    benchmark = torch.backends.cudnn.benchmark
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.backends.cudnn.benchmark = False
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])
        torch.backends.cudnn.benchmark = benchmark


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Compute with a number of CPU threads; the count comes back as it was.

    Args:
        count: How many.

    Yields:
        Nothing.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
