"""The one file that names accelerate: a worker's device, and moving batches there.

Each worker is a one-process Accelerator: placement is accelerate's, the group is ours (see group.py), and the
backward pass is torch's own.
"""

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from accelerate import Accelerator
from accelerate.utils import send_to_device

from vfnb.numerics import seed_generators
from vfnb.spec import Device

# Left by a launcher around the kernel, these would make accelerate look for a group of processes.
_LAUNCHER = (
    "RANK",
    "LOCAL_RANK",
    "WORLD_SIZE",
    "LOCAL_WORLD_SIZE",
    "MASTER_ADDR",
    "MASTER_PORT",
    "NODE_RANK",
)


def torch_device(device: Device) -> torch.device:
    """Give torch's name of a device.

    Args:
        device: Ours.

    Returns:
        Torch's; every CPU slot is torch's one CPU.
    """
    return torch.device("cpu") if device.kind == "cpu" else torch.device(device.kind, device.index)


def seeding(device: torch.device) -> Callable[[int], None]:
    """Give what seeds every generator that a pass may draw from.

    Args:
        device: Whose generator is seeded beside the host's.

    Returns:
        It, called with a pass's seed.
    """
    match device.type:
        case "cuda":
            return partial(seed_generators, device_generators=(torch.cuda.default_generators[device.index or 0],))
        case "mps" | "xpu":

            def seed_both(seed: int) -> None:
                getattr(torch, device.type).manual_seed(seed)
                seed_generators(seed)

            return seed_both
        case _:
            return seed_generators


def single_process(environment: Mapping[str, str]) -> dict[str, str]:
    """Leave out of an environment what would make accelerate expect more processes than one.

    Args:
        environment: As the user has it.

    Returns:
        A copy without a launcher's variables.
    """
    return {
        name: value
        for name, value in environment.items()
        if name not in _LAUNCHER and not name.startswith("ACCELERATE_")
    }


def accelerator(device: Device) -> Accelerator:
    """Make this process a one-process Accelerator; for workers only, since its state is the process's.

    Args:
        device: What the worker owns.

    Returns:
        The accelerator; it neither scales nor casts: scaler and autocast are torch's own.
    """
    kept = single_process(os.environ)
    for name in set(os.environ) - set(kept):
        del os.environ[name]
    if device.kind == "cuda":
        torch.cuda.set_device(device.index)
    made = Accelerator(cpu=device.kind == "cpu", mixed_precision="no", gradient_accumulation_steps=1)
    # accelerate picks a thread count of its own; the job's is part of what it computes.
    torch.set_num_threads(device.threads)
    return made


def moved(batch: Any, device: torch.device) -> Any:
    """Move a batch of nested tensors to a device, without waiting for the copy.

    Args:
        batch: Whatever the collate gave.
        device: Where to.

    Returns:
        The batch on the device; as it is when that is the CPU.
    """
    if device.type == "cpu":
        return batch
    return send_to_device(batch, device, non_blocking=True)
