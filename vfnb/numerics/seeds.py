"""Where every random stream of a job begins: seeds mixed from what a draw belongs to, not from who draws."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b

import numpy as np
import torch


def seed_of(*parts: int | str) -> int:
    """Mix a seed from what it belongs to.

    Different parts give unrelated seeds, in each half of their bits too: torch's CPU generator uses the low
    32 alone.

    Args:
        *parts: Integers of any size and words; their order counts.

    Returns:
        64 bits, from 0 to 2^64 - 1.
    """
    # repr quotes words, so ("a", 1) and ("a, 1",) differ; int() makes NumPy's integers ours
    text = ",".join([repr(part) if isinstance(part, str) else str(int(part)) for part in parts])
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def node_seed(seed: int, step: int, node: int) -> int:
    """Mix the seed of one virtual node's pass (and of its collate) in one step."""
    return seed_of(seed, "node", step, node)


def sample_seed(seed: int, epoch: int, sample: int) -> int:
    """Mix the seed of one sample's augmentation in one epoch, whichever process reads it."""
    return seed_of(seed, "sample", epoch, sample)


def epoch_seed(seed: int, epoch: int) -> int:
    """Mix the seed of an epoch's permutation."""
    return seed_of(seed, "epoch", epoch)


def update_seed(seed: int, step: int) -> int:
    """Mix the seed of a step's optimizer update, the same on every worker."""
    return seed_of(seed, "update", step)


def evaluation_seed(seed: int, step: int, batch: int) -> int:
    """Mix the seed of one evaluation pass after a step."""
    return seed_of(seed, "evaluation", step, batch)


def seed_generators(seed: int, device_generators: Sequence[torch.Generator] = ()) -> None:
    """Seed every global generator that user code may draw from: torch's, Python's and NumPy's.

    `torch.manual_seed` would take 99 microseconds; this takes about 6.

    Args:
        seed: 64 bits, as `seed_of` gives.
        device_generators: The generators of the worker's own accelerator, if it has one.
    """
    torch.default_generator.manual_seed(seed)
    for generator in device_generators:
        generator.manual_seed(seed)
    random.seed(seed)
    # The CPU generator of torch is the same algorithm and takes the low half: the high half keeps them apart
    np.random.seed(seed >> 32)


@contextmanager
def restored_generators() -> Iterator[None]:
    """Give back the global generators as they were, whatever is drawn or seeded inside.

    CUDA's are included once CUDA is in use in this process; nothing here starts it.

    Yields:
        Nothing.
    """
    cpu, python, array = torch.default_generator.get_state(), random.getstate(), np.random.get_state()
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
    try:
        yield
    finally:
        torch.default_generator.set_state(cpu)
        random.setstate(python)
        np.random.set_state(array)
        if cuda is not None:
            torch.cuda.set_rng_state_all(cuda)


def generators_digest() -> bytes:
    """Digest where the global generators stand, to tell whether something was drawn from them since.

    Returns:
        Equal bytes exactly where nothing was drawn, but from devices' own generators.
    """
    _, words, place, *_ = np.random.get_state()
    digest = blake2b(torch.default_generator.get_state().numpy().tobytes())
    digest.update(repr((random.getstate(), np.asarray(words).tobytes(), place)).encode())
    return digest.digest()
