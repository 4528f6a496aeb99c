"""What this machine has: devices, found without making a CUDA context in the kernel."""

import os
import subprocess
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


def memory_bytes(device: Device) -> int | None:
    """Give a device's memory.

    Args:
        device: One of this machine's.

    Returns:
        Bytes: what a GPU has, or what this process may use of the host's; None where it cannot be known without
        making a CUDA context in the kernel.
    """
    if device.kind == "cuda":
        return _cuda_memory(device.index)
    if device.kind == "xpu":
        return int(torch.xpu.get_device_properties(device.index).total_memory)
    if device.kind == "mps":
        return int(torch.mps.recommended_max_memory())
    return _host_memory()


def _cuda_memory(index: int) -> int | None:
    if torch.cuda.is_initialized():
        return int(torch.cuda.get_device_properties(index).total_memory)
    seen = os.environ.get("CUDA_VISIBLE_DEVICES")
    names = [str(index)] if seen is None else seen.split(",")
    name = names[0 if seen is None else index].strip()
    try:
        # NVML's own tool: it makes no context.
        found = subprocess.run(  # noqa: S603  # no words of the user's but a device's name
            ["nvidia-smi", "-i", name, "--query-gpu=memory.total", "--format=csv,noheader,nounits"],  # noqa: S607  # wherever drivers put it
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
        return int(found.stdout.strip()) * 2**20
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _host_memory() -> int:
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        return size if limit == "max" else min(size, int(limit))
    except (OSError, ValueError):
        return size  # no control group, or its older form


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
