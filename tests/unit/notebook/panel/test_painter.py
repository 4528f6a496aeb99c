"""The one thread that paints."""

import threading

from vfnb.notebook.panel.painter import Painter


def test_it_paints_until_there_is_nothing_left_and_says_so() -> None:
    left, over = [True, True, False], threading.Event()
    painter = Painter(lambda: left.pop(0), over.set, "painter")

    painter.start()

    assert over.wait(10)
    assert left == []


def test_it_paints_at_once_when_there_is_news_and_can_be_stopped() -> None:
    painted, over = threading.Semaphore(0), threading.Event()
    painter = Painter(lambda: painted.release() or True, over.set, "painter")
    painter.start()

    for _ in range(3):
        assert painted.acquire(timeout=10)
        painter.soon()
    painter.stop()

    assert over.wait(10)
    painter.thread.join(10)
    assert not painter.thread.is_alive()
