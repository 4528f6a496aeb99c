"""A replica's whole state as one file, and a checkpoint folder around it: written whole or not at all.

The same file carries state to a worker that joins, to the kernel (`job.model`, `job.fingerprint`) and to disk.
It holds tensors and plain values only and is read with torch's weights-only loader: no code ever runs.
"""

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from vfnb.ground import CheckpointError
from vfnb.numerics import fingerprint

State = dict[str, Any]

_STATE, _MANIFEST = "state.pt", "manifest.json"
_FORMAT, _VERSION = "vfnb-checkpoint", 1
_CHUNK = 1 << 22


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A checkpoint as read.

    Attributes:
        folder: Where it lies.
        step: The last step in it.
        identity: JSON of the run it belongs to.
        state: What `Replica.load` takes.
    """

    folder: Path
    step: int
    identity: str
    state: State


def write_state(path: Path, state: State) -> None:
    """Write a state under a temporary name, then rename: a reader sees all of it or nothing.

    Args:
        path: The file.
        state: Tensors and plain values in nested dicts.

    Raises:
        OSError: If there is no room, or no permission.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        _save(temporary, state)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read_state(path: Path) -> State:
    """Read a state; its tensors are mapped, and read from disk when they are touched.

    Args:
        path: What `write_state` wrote.

    Returns:
        The state.
    """
    state: State = torch.load(path, mmap=True, weights_only=True, map_location="cpu")
    return state


def write_checkpoint(folder: Path, state: State, identity: str) -> Path:
    """Write a checkpoint folder, replacing one of the same name only once the new one is complete.

    Args:
        folder: Its name; the parent is made.
        state: The state.
        identity: JSON of what the run is.

    Returns:
        `folder`.

    Raises:
        OSError: If there is no room, or no permission; what was there stays.
    """
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}")
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        temporary.mkdir(parents=True)
        _save(temporary / _STATE, state)
        manifest = {
            "format": _FORMAT,
            "version": _VERSION,
            "step": state["step"],
            "identity": identity,
            "sha256": _sha256(temporary / _STATE),
            "fingerprint": known_fingerprint(state),
        }
        (temporary / _MANIFEST).write_text(json.dumps(manifest))
        if folder.exists():
            folder.replace(old)
        temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
    return folder


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read and verify a checkpoint; never runs code from it.

    Args:
        folder: What `write_checkpoint` wrote.

    Returns:
        The checkpoint.

    Raises:
        CheckpointError: If it is no checkpoint of vfnb's, of a newer version, or damaged.
    """
    try:
        manifest = json.loads((folder / _MANIFEST).read_text())
    except (OSError, ValueError) as error:
        raise CheckpointError(
            f"{folder} is no checkpoint of vfnb's ({error}); give a folder that job.save made"
        ) from error
    if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
        raise CheckpointError(f"{folder} is no checkpoint of vfnb's; give a folder that job.save made")
    if manifest.get("version") != _VERSION:
        raise CheckpointError(
            f"{folder} has format version {manifest.get('version')}; this vfnb reads {_VERSION}: update vfnb"
        )
    path = folder / _STATE
    if not path.exists() or _sha256(path) != manifest.get("sha256"):
        raise CheckpointError(
            f"{folder} is damaged: its state does not have the digest it was saved with; take an older one"
        )
    try:
        state = read_state(path)
    except Exception as error:  # torch raises many kinds for a file that is not what it expects
        raise CheckpointError(f"{folder} cannot be read: {error}") from error
    return Checkpoint(folder=folder, step=manifest["step"], identity=manifest["identity"], state=state)


def checkpoints(run_dir: Path) -> tuple[Path, ...]:
    """List a run's numbered checkpoints.

    Args:
        run_dir: The run's folder.

    Returns:
        Their folders, oldest first.
    """
    found = (run_dir / "checkpoints").glob("step-*")
    return tuple(sorted(folder for folder in found if (folder / _MANIFEST).exists()))


def state_file(folder: Path) -> Path:
    """Name the file of a checkpoint that workers load.

    Args:
        folder: The checkpoint's.

    Returns:
        What `read_state` reads.
    """
    return folder / _STATE


def newest_checkpoint(run_dir: Path) -> Path | None:
    """Find a run's newest checkpoint.

    Args:
        run_dir: The run's folder.

    Returns:
        Its folder; None where there is none.
    """
    found = checkpoints(run_dir)
    return found[-1] if found else None


def keep_checkpoint(run_dir: Path, state: State, identity: str, keep: int) -> Path:
    """Write the numbered checkpoint of a state, then drop the oldest ones.

    Args:
        run_dir: The run's folder.
        state: The state.
        identity: JSON of what the run is.
        keep: How many to keep.

    Returns:
        The new checkpoint's folder.

    Raises:
        OSError: If there is no room, or no permission; the older ones stay.
    """
    folder = write_checkpoint(run_dir / "checkpoints" / f"step-{state['step']:08d}", state, identity)
    for old in checkpoints(run_dir)[:-keep]:
        shutil.rmtree(old, ignore_errors=True)
    return folder


def fingerprint_of(state: State) -> str:
    """Digest what a run has learned: parameters, buffers and optimizer state.

    Args:
        state: As read or captured.

    Returns:
        64 hexadecimal digits; equal exactly for equal bits.
    """
    learned = {f"parameter {name}": value for name, value in state["parameters"].items()}
    learned |= {f"buffer {name}": value for name, value in state["buffers"].items()}
    learned["optimizer"] = state["optimizer"]
    return fingerprint(learned)


def known_fingerprint(state: State) -> str | None:
    """Digest what a run has learned, where that can be done: no run ends for want of a digest.

    Args:
        state: As read or captured.

    Returns:
        64 hexadecimal digits; None where the optimizer keeps what has no digest.
    """
    try:
        return fingerprint_of(state)
    except TypeError:
        return None


def checkpoint_fingerprint(folder: Path) -> str:
    """Read the fingerprint of a checkpoint's step, without reading its state.

    Args:
        folder: What `write_checkpoint` wrote.

    Returns:
        64 hexadecimal digits; empty where it is not known.
    """
    try:
        return json.loads((folder / _MANIFEST).read_text()).get("fingerprint") or ""
    except (OSError, ValueError, AttributeError):
        return ""


def _save(path: Path, state: State) -> None:
    try:
        torch.save(state, path)
    except RuntimeError as error:
        # torch reports a full disk as its own kind of error.
        raise OSError(str(error).splitlines()[0]) from error


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
