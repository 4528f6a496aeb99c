"""What a run is computed with: versions, the machine's kind, and the state of the code beside it."""

import platform
import subprocess
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import torch

_PATIENCE = 2.0  # seconds that git may take: a start does not wait for a slow disk


def numeric_environment() -> dict[str, str]:
    """Say what rounding may depend on, besides the kinds of devices.

    Returns:
        By name, in words.
    """
    return {
        "vfnb": own_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "machine": platform.machine(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
    }


def wider_environment() -> dict[str, str]:
    """Say what else there is, for whoever looks for a reason.

    Returns:
        By name, in words; what is not there is left out.
    """
    found = {
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": _processor(),
        "accelerate": _version("accelerate"),
        "cuda": torch.version.cuda,
        "cudnn": str(torch.backends.cudnn.version()) if torch.version.cuda else None,
    }
    return {name: text for name, text in found.items() if text}


def own_version() -> str:
    """Say which vfnb this is.

    Returns:
        Its version; "a checkout" where it is not installed.
    """
    # Not vfnb.__version__: the package's face knows the rooms above this one.
    return _version("vfnb") or "a checkout"


def code_here(folder: Path | None = None) -> dict[str, Any] | None:
    """Say which commit the working folder is at.

    Args:
        folder: The folder; None is the present one.

    Returns:
        The commit, and whether tracked files differ from it; None where there is none, or git takes too long.
    """
    where = Path.cwd() if folder is None else folder
    commit = _git(where, "rev-parse", "HEAD")
    changes = _git(where, "status", "--porcelain", "--untracked-files=no")
    return None if not commit or changes is None else {"commit": commit, "changed": bool(changes)}


def _git(folder: Path, *words: str) -> str | None:
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(  # noqa: S603  # fixed words
            ["git", "--no-optional-locks", "-C", str(folder), *words],  # noqa: S607  # the user's own git
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=True,
        )
        return done.stdout.strip()
    return None


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
