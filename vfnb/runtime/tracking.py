"""accelerate's experiment trackers, living with the driver: told of every row on a thread of their own.

In a worker they would die with it and begin anew at each resize. They are used without accelerate's process state:
making that in the user's kernel would choose a device there, and wait for the processes of a launcher.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

import accelerate.tracking as accelerated

from vfnb.spec import Row

Value = str | float | int | bool

_NEVER_LOGGED = ("step", "metrics", "at", "skipped", "fingerprint")


class Trackers:
    """Trackers of one run. One that fails is told of once and left out; the run goes on.

    Args:
        names: Of accelerate's trackers.
        run: The run's name.
        folder: Where those go that write files.
        settings: What the run is, as plain values.
        warn: Told what went wrong, on the trackers' thread.
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        run: str,
        folder: Path,
        settings: Mapping[str, Value],
        warn: Callable[[str], None],
    ) -> None:
        self._run, self._folder, self._settings, self._warn = run, folder, dict(settings), warn
        self._rows: SimpleQueue[Row | None] = SimpleQueue()
        self._thread = Thread(target=self._serve, args=(tuple(names),), name=f"vfnb trackers {run}", daemon=True)
        self._thread.start()

    def tell(self, row: Row) -> None:
        """Have a row logged; returns at once.

        Args:
            row: The row.
        """
        self._rows.put(row)

    def close(self) -> None:
        """Have the trackers finish once all rows are logged; returns at once."""
        self._rows.put(None)

    def settled(self, timeout: float) -> bool:
        """Wait until the trackers have finished.

        Args:
            timeout: Seconds to wait at most.

        Returns:
            False when the time ran out first.
        """
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _serve(self, names: tuple[str, ...]) -> None:
        live: dict[str, Any] = {}
        for name in names:
            with self._spared(name, live):
                live[name] = self._begun(name)
        while (row := self._rows.get()) is not None:
            for name, tracker in list(live.items()):
                with self._spared(name, live):
                    tracker.log(logged(row), step=row.step)
        for name, tracker in list(live.items()):
            with self._spared(name, live):
                tracker.finish()

    @contextmanager
    def _spared(self, name: str, live: dict[str, Any]) -> Iterator[None]:
        """Spare the run a tracker's failure, and the tracker what comes after it."""
        try:
            yield
        except Exception as error:  # noqa: BLE001  # a tracker may raise anything, and training goes on
            live.pop(name, None)
            self._warn(f"the tracker {name} is told no more of this run: {type(error).__name__}: {error}")

    def _begun(self, name: str) -> Any:
        tracker = _tracker_class(name)
        folder = [str(self._folder)] if tracker.requires_logging_directory else []
        # Not "on the main process only": that would ask for accelerate's process state.
        begun = type(tracker.__name__, (tracker,), {"main_process_only": False})(self._run, *folder)
        getattr(begun, "start", lambda: None)()  # accelerate before 1.9 begins as it is made
        begun.store_init_configuration(self._settings)
        return begun


def logged(row: Row) -> dict[str, Value]:
    """Give what a tracker is told of a row: the columns of the history that have a finite number.

    Args:
        row: The row.

    Returns:
        Numbers by name; the step is not among them.
    """
    fields = {name: getattr(row, name) for name in row.__dataclass_fields__ if name not in _NEVER_LOGGED}
    fields |= {f"evaluation_{name}" if name in fields else name: value for name, value in row.metrics.items()}
    return {name: value for name, value in fields.items() if value is not None and isfinite(value)}


def _tracker_class(name: str) -> Any:
    accelerated.logger = logging.getLogger(accelerated.__name__)  # accelerate's own asks for its process state
    if name not in map(str, accelerated.get_available_trackers()):
        raise ModuleNotFoundError(f"it is not installed; pip install {name.replace('_', '-')}")
    return accelerated.LOGGER_TYPE_TO_CLASS[name]
