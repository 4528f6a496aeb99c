import asyncio
from concurrent.futures import Future

import pytest

from vfnb.session.handle import Handle
from vfnb.spec import Resized

RESIZED = Resized(step=3, before=("cpu:0", "cpu:1"), after=("cpu:0",), downtime=0.25)


def handle() -> tuple[Handle, "Future[Resized | None]"]:
    future: Future[Resized | None] = Future()
    return Handle("resize to cpu:0", future), future


def test_is_under_way_until_there_is_a_result() -> None:
    waiting, future = handle()

    assert not waiting.done()
    assert repr(waiting) == "<resize to cpu:0: under way>"
    future.set_result(RESIZED)
    assert waiting.done()
    assert waiting.result() == RESIZED
    assert repr(waiting) == "<resize to cpu:0: 2 to 1 workers at step 3, 0.25 s>"


def test_a_run_that_ended_before_gives_none() -> None:
    waiting, future = handle()
    future.set_result(None)

    assert waiting.result(timeout=0) is None
    assert "went on without it" in repr(waiting)


def test_waiting_too_long_is_a_time_out_that_says_that_it_goes_on() -> None:
    waiting, _ = handle()

    with pytest.raises(TimeoutError, match=r"resize to cpu:0 is not done after 0\.01 s; it goes on"):
        waiting.result(timeout=0.01)


def test_what_went_wrong_is_raised_and_shown() -> None:
    waiting, future = handle()
    future.set_exception(ValueError("no room"))

    with pytest.raises(ValueError, match="no room"):
        waiting.result()
    assert repr(waiting) == "<resize to cpu:0: failed, no room>"


def test_a_time_out_of_the_runs_own_is_passed_on_as_it_is() -> None:
    waiting, future = handle()
    future.set_exception(TimeoutError("the worker did not come"))

    with pytest.raises(TimeoutError, match="did not come"):
        waiting.result()


def test_can_be_awaited_and_a_cancelled_wait_calls_nothing_off() -> None:
    waiting, future = handle()

    async def story() -> Resized | None:
        impatient = asyncio.ensure_future(asyncio.wait_for(waiting, 0.01))
        with pytest.raises(TimeoutError):
            await impatient
        assert not future.cancelled()
        future.set_result(RESIZED)
        return await waiting

    assert asyncio.run(story()) == RESIZED
