"""What this machine has: devices, found without making a CUDA context in the kernel."""

import os
from pathlib import Path

import torch

from vfnb.spec import Device


def devices() -> tuple[Device, ...]:
    """List the devices of this machine, the best kind first.

    Returns:
        GPUs by index, then one CPU slot a core this process may use.
    """
    found = [Device("cuda", index) for index in range(_cuda_count())]
    if torch.backends.mps.is_available():
        found.append(Device("mps", 0))
    if hasattr(torch, "xpu") and torch.xpu.is_available():
        found += [Device("xpu", index) for index in range(torch.xpu.device_count())]
    return (*found, *(Device("cpu", index) for index in range(cores())))


def cores() -> int:
    """Count the cores this process may use: a container often has fewer than its machine.

    Returns:
        The smaller of the scheduler's and the control group's number, at least 1.
    """
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        if quota != "max":
            count = min(count, max(1, int(quota) // int(period)))
    except (OSError, ValueError):
        pass  # no control group, or its older form
    return max(1, count)


def _cuda_count() -> int:
    # NVML counts without a context, which would hold memory and forbid forking.
    before = os.environ.get("PYTORCH_NVML_BASED_CUDA_CHECK")
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    try:
        return torch.cuda.device_count() if torch.cuda.is_available() else 0
    finally:
        if before is None:
            del os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"]
        else:
            os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = before
