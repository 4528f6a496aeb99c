"""What is set for a whole process: torch's flags, captured where the run is described, and the allocator's."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import torch

Flags = dict[str, bool | str]

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # glibc's names for what mallopt sets
_LARGEST_KEPT = 32 << 20  # bytes of a tensor; glibc takes no more
_KEPT = (1 << 31) - 1  # bytes of free memory at the heap's end


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


def keep_freed_memory() -> None:
    """Have glibc keep what this process frees; other systems' allocators stay as they are.

    Each pass frees what the next one needs. Given back to the system and asked for again page by page, that took a
    fifth of a small convnet's pass.
    """
    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT)  # first: the other alone would put every tensor in pages of its own
        mallopt(_TRIM_THRESHOLD, _KEPT)


def give_back_freed_memory() -> None:
    """Give back to the system what this process has freed and glibc keeps; other allocators do it themselves."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


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
