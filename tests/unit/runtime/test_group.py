"""A group of two, each member in a thread of its own: who waits for another that never comes."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest
import torch

from vfnb.runtime.group import GroupError, Processes

Given = TypeVar("Given")


@contextmanager
def pair(folder: Path, abandoned: Callable[[], bool]) -> Iterator[tuple[Processes, Processes]]:
    """Form a group of two."""

    def formed(rank: int) -> Processes:
        return Processes(folder / "store", rank, 2, nccl=False, patience=20, abandoned=abandoned)

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(formed, range(2))
    yield first, second


def begun(call: Callable[[Processes], Given], group: Processes) -> "Future[Given]":
    """Make a call in a thread that nobody waits for."""
    future: Future[Given] = Future()

    def run() -> None:
        try:
            future.set_result(call(group))
        except GroupError as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def summed(group: Processes) -> torch.Tensor:
    """Sum ones."""
    tensor = torch.ones(3)
    group.sum_([tensor], lambda: None)
    return tensor


CALLS: dict[str, Callable[[Processes], object]] = {
    "max_": lambda group: group.max_(torch.zeros(3)),
    "sum_": summed,
    "gather": lambda group: group.gather(b"mine"),
    "broadcast_": lambda group: group.broadcast_(torch.zeros(3), 1),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_collective_that_does_not_end_is_left_once_the_generation_is_abandoned(name: str, tmp_path: Path) -> None:
    told = threading.Event()
    with pair(tmp_path, told.is_set) as (waits, _absent):
        future = begun(CALLS[name], waits)
        with pytest.raises(TimeoutError):  # longer than a look
            future.result(timeout=1.5)

        told.set()

        with pytest.raises(GroupError, match="abandoned"):
            future.result(timeout=10)


def test_who_is_late_is_waited_for(tmp_path: Path) -> None:
    with pair(tmp_path, lambda: False) as (early, late):
        future = begun(summed, early)
        with pytest.raises(TimeoutError):  # longer than two looks
            future.result(timeout=2.5)

        begun(summed, late).result(timeout=10)

        assert future.result(timeout=10).tolist() == [2, 2, 2]


def test_who_is_abandoned_still_takes_what_has_ended(tmp_path: Path) -> None:
    with pair(tmp_path, lambda: True) as (one, other):
        futures = [begun(summed, each) for each in (one, other)]

        assert [future.result(timeout=10).tolist() for future in futures] == [[2, 2, 2]] * 2
