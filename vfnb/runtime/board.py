"""What each worker is doing, in a small file that driver and workers map: no message, no waiting.

A slot is written by its worker alone and read by the driver, which judges silence by it.
"""

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self, get_args

Phase = Literal["idle", "compute", "collective", "evaluate"]

_PHASES = get_args(Phase)
_SLOT = struct.Struct("<QQqqddQd")  # beats, phase, step, node; the slowest and the usual pass; passes, their seconds
_SIZE = 64
_SLOTS = 4096
_NEW = 0.1  # how much the newest pass weighs in what is usual


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """A worker's last sign of life.

    Attributes:
        beats: Grows with each sign.
        phase: What it is doing.
        step: The step it computes.
        node: The virtual node it computes; -1 for none.
        slowest: The slowest pass so far, in seconds.
        usual: What a pass takes of late, in seconds; 0 before the first.
        passes: How many were made so far.
        spent: Seconds that they took together.
    """

    beats: int
    phase: Phase
    step: int
    node: int
    slowest: float
    usual: float = 0.0
    passes: int = 0
    spent: float = 0.0


class Board:
    """The mapped file.

    Args:
        path: Made if it is not there.
    """

    def __init__(self, path: Path) -> None:
        size = _SIZE * _SLOTS
        if not path.exists():
            path.write_bytes(bytes(size))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), size)

    def slot(self, worker: int) -> "Slot":
        """Give the slot that a worker writes.

        Args:
            worker: Its id.

        Returns:
            Its slot.
        """
        return Slot(self._map, worker % _SLOTS * _SIZE)

    def read(self, worker: int) -> Sign:
        """Read a worker's last sign.

        Args:
            worker: Its id.

        Returns:
            The sign; all zeros before the first.
        """
        beats, phase, step, node, *times = _SLOT.unpack_from(self._map, worker % _SLOTS * _SIZE)
        slowest, usual, passes, spent = times
        return Sign(
            beats=beats,
            phase=_PHASES[phase],
            step=step,
            node=node,
            slowest=slowest,
            usual=usual,
            passes=passes,
            spent=spent,
        )

    def close(self) -> None:
        """Let go of the file."""
        self._map.close()


class Slot:
    """One worker's writing end.

    Args:
        memory: The mapped file.
        offset: Where the slot begins.
    """

    def __init__(self, memory: mmap.mmap, offset: int) -> None:
        self._memory, self._offset = memory, offset
        self._beats = 0
        self._slowest = self._usual = self._spent = 0.0
        self._passes = 0

    @classmethod
    def nowhere(cls) -> Self:
        """Give a slot that nobody reads.

        Returns:
            A slot over memory of its own.
        """
        return cls(mmap.mmap(-1, _SIZE), 0)

    def mark(self, phase: Phase, *, step: int, node: int = -1) -> None:
        """Say what the worker does now.

        Args:
            phase: In a word.
            step: The step.
            node: The virtual node, or -1.
        """
        self._beats += 1
        times = self._slowest, self._usual, self._passes, self._spent
        _SLOT.pack_into(self._memory, self._offset, self._beats, _PHASES.index(phase), step, node, *times)

    def took(self, seconds: float) -> None:
        """Remember how long a pass took.

        Args:
            seconds: Of wall time.
        """
        self._passes += 1
        self._spent += seconds
        self._slowest = max(self._slowest, seconds)
        self._usual += (seconds - self._usual) * (_NEW if self._usual else 1)
