"""Orders are carried out elsewhere, and none fails into a void."""

import threading
from concurrent.futures import Future

from vfnb.ground import StateError
from vfnb.notebook.panel.orders import Orders
from vfnb.session import Handle


class Ordered:
    """Orders, and a way to wait for them."""

    def __init__(self) -> None:
        self.done = threading.Semaphore(0)
        self.orders = Orders(self.done.release)

    def answers(self, orders: int) -> list[tuple[str, str]]:
        for _ in range(orders):
            assert self.done.acquire(timeout=10)
        return [(answer.kind, answer.text) for answer in self.orders.answers]


def test_an_order_is_carried_out_on_another_thread() -> None:
    made, threads = Ordered(), []

    made.orders.give("look", lambda: threads.append(threading.current_thread()))

    assert made.answers(1) == []
    assert threads != [threading.current_thread()]


def test_a_failed_order_is_said_and_the_next_is_carried_out() -> None:
    made = Ordered()

    def refuse() -> None:
        raise StateError("it has ended")

    made.orders.give("pause", refuse)
    made.orders.give("divide", lambda: 1 / 0)
    made.orders.give("save", lambda: "saved")

    assert made.answers(3) == [
        ("error", "pause: it has ended"),
        ("error", "divide: ZeroDivisionError: division by zero"),
        ("note", "saved"),
    ]


def test_a_handle_is_busy_until_it_is_settled_and_its_failure_is_said() -> None:
    made, future = Ordered(), Future()

    made.orders.give("resize", lambda: Handle("resize to 2", future))

    assert made.answers(1) == []
    assert made.orders.busy
    future.set_exception(StateError("no room"))
    assert not made.orders.busy
    assert made.answers(0) == [("error", "resize: no room")]


def test_only_the_newest_answers_are_kept() -> None:
    made = Ordered()

    for number in range(9):
        made.orders.give("count", lambda number=number: str(number))

    assert [text for _, text in made.answers(9)] == ["6", "7", "8"]
