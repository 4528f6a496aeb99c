"""The newest lines that workers printed, each behind its worker's name; read as the files grow."""

from collections import deque
from pathlib import Path

_LINES = 200
_FIRST = 8192  # bytes of a file that was there before are enough


class Tail:
    """The end of a run's logs.

    Args:
        folder: Where the workers' files are; it need not be there yet.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[Path, int] = {}
        self._lines: deque[str] = deque(maxlen=_LINES)

    def lines(self) -> tuple[str, ...]:
        """Read what is new.

        Returns:
            The newest lines, in the order in which they were found.
        """
        for path in sorted(self._folder.glob("w*.log")):
            self._lines.extend(f"[{path.stem}] {line}" for line in self._new(path))
        return tuple(self._lines)

    def _new(self, path: Path) -> list[str]:
        size = path.stat().st_size
        start = self._read.get(path, max(0, size - _FIRST))
        if size <= start:
            return []
        with path.open("rb") as file:
            file.seek(start)
            fresh = file.read(size - start)
        whole = fresh.rpartition(b"\n")[0]  # a line that is still being written waits for its end
        if not whole:
            return []
        self._read[path] = start + len(whole) + 1
        return whole.decode(errors="replace").splitlines()
