"""A sweep's directory: what it goes over, who trains it, its table, and each run's attempts."""

import fcntl
import json
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from vfnb.ground import SpecError, StateError
from vfnb.session.record import RUN, write_whole
from vfnb.session.sweeps.axes import Point

if TYPE_CHECKING:
    import pandas as pd

SWEEP, TABLE, _LOCK = "sweep.json", "table.csv", ".lock"
VERSION = 1
_AGAIN = "~"  # stands before the number of a run's second and further attempts


class Folder:
    """A sweep's directory.

    Args:
        path: Absolute; it need not be there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held: IO[str] | None = None

    def check(self, axes: list[str]) -> bool:
        """Check that the directory is free, or a sweep's over the same axes.

        Args:
            axes: The names of what the sweep goes over.

        Returns:
            Whether a sweep is there.

        Raises:
            SpecError: If something else is there.
        """
        if not self.path.exists() or not any(self.path.iterdir()):
            return False
        try:
            found: Any = json.loads((self.path / SWEEP).read_text(encoding="utf-8"))
            version, there = found["version"], found["axes"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SpecError(f"{self.path} is there and is no sweep's; give another name= or run_dir=") from error
        if version != VERSION:
            raise SpecError(f"the sweep in {self.path} has version {version!r}; this vfnb reads {VERSION}: update vfnb")
        if there != axes:
            raise SpecError(
                f"the sweep in {self.path} goes over {', '.join(there)}, this one over {', '.join(axes)}; "
                f"give another name="
            )
        return True

    def claim(self, axes: list[str]) -> None:
        """Make the directory where it is not there, and keep other kernels from training the same sweep.

        Args:
            axes: The names of what the sweep goes over.

        Raises:
            StateError: If another kernel trains it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        held = (self.path / _LOCK).open("a", encoding="utf-8")
        try:
            # The system lets go of it when this process ends, however it ends.
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            held.close()
            raise StateError(
                f"the sweep in {self.path} is trained by another kernel; stop it there, or give another name="
            ) from error
        except OSError:
            pass  # a file system without locks
        self._held = held
        if not (self.path / SWEEP).exists():
            write_whole(self.path / SWEEP, json.dumps({"version": VERSION, "axes": axes}, indent=1))

    def release(self) -> None:
        """Let other kernels train it."""
        if self._held is not None:
            self._held.close()
            self._held = None

    def attempts(self, point: Point) -> list[Path]:
        """List a run's directories.

        Args:
            point: The run.

        Returns:
            Those that began to train, the first one first.
        """
        return [path for path in self._all(point) if (path / RUN).exists()]

    def next_attempt(self, point: Point) -> Path:
        """Give a directory for a run's next attempt.

        Args:
            point: The run.

        Returns:
            One that is not there.
        """
        names = (f"{point.name}{_AGAIN}{number}" for number in count(2))
        taken = self._all(point)
        return (
            self.path / point.name
            if not taken
            else next(path for name in names if not (path := self.path / name).exists())
        )

    def keep(self, table: "pd.DataFrame") -> None:
        """Write the table; a full disk costs nothing else, since it is made from the runs.

        Args:
            table: A row a run.
        """
        with suppress(OSError):
            write_whole(self.path / TABLE, table.to_csv(index=False))

    def _all(self, point: Point) -> list[Path]:
        first = self.path / point.name
        later = self.path.glob(f"{_escaped(point.name)}{_AGAIN}*")
        numbered = {int(number): path for path in later if (number := path.name.rpartition(_AGAIN)[2]).isdecimal()}
        return [*([first] if first.exists() else []), *(numbered[number] for number in sorted(numbered))]


def _escaped(name: str) -> str:
    return "".join(f"[{one}]" if one in "*?[" else one for one in name)
