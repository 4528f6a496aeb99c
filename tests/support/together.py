"""Groups whose members are threads of this process: replicas stay at hand, to be compared whole."""

import threading
from collections.abc import Callable, Iterable
from typing import Any

import torch


class Meeting:
    """Where so many threads put things down and pick up everybody's."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._barrier = threading.Barrier(size, timeout=60)
        self._table: list[Any] = [None] * size

    def all(self, place: int, value: Any) -> list[Any]:
        """Put a value down, and take everybody's once all are there."""
        self._table[place] = value
        self._barrier.wait()
        taken = list(self._table)
        self._barrier.wait()
        return taken

    def leave(self) -> None:
        """Let nobody wait for this thread."""
        self._barrier.abort()


class Together:
    """One thread's end of a meeting, as a worker's group."""

    def __init__(self, meeting: Meeting, place: int) -> None:
        self.size, self._meeting, self._place = meeting.size, meeting, place

    def max_(self, vector: torch.Tensor) -> None:
        """Take the elementwise maximum."""
        vector.copy_(torch.stack(self._meeting.all(self._place, vector.clone())).amax(0))

    def sum_(self, tensors: Iterable[torch.Tensor], begun: Callable[[], None]) -> None:
        """Take sums, in the order of places."""
        for tensor in tensors:
            tensor.copy_(torch.stack(self._meeting.all(self._place, tensor.clone())).sum(0))
        begun()

    def gather(self, data: bytes) -> list[bytes]:
        """Take everybody's bytes."""
        return self._meeting.all(self._place, data)

    def broadcast_(self, tensor: torch.Tensor, place: int) -> None:
        """Take one member's tensor."""
        tensor.copy_(self._meeting.all(self._place, tensor.clone())[place])


def side_by_side(bodies: Iterable[Callable[[Together], Any]]) -> list[Any]:
    """Run a body a thread, each with its end of one meeting, and give what they return; the first error is raised."""
    todo = list(bodies)
    meeting, found, errors = Meeting(len(todo)), [None] * len(todo), []

    def run(place: int) -> None:
        try:
            found[place] = todo[place](Together(meeting, place))
        except BaseException as error:  # noqa: BLE001  # it is raised below, in the test's thread
            errors.append(error)
            meeting.leave()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(todo))]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    if errors:
        raise errors[0]
    return found
