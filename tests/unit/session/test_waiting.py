import asyncio

import pytest
from session_doubles import FakeEngine, FakeRun, started

from vfnb.ground import ManualClock
from vfnb.session.waiting import ended, ends_within


class Ticking(ManualClock):
    """Lets time pass with each look."""

    def monotonic(self) -> float:
        self.advance(1.0)
        return super().monotonic()


@pytest.fixture
def run() -> FakeRun:
    engine = FakeEngine()
    started(engine)
    return engine.run


def test_a_run_that_ended_is_not_waited_for(run: FakeRun) -> None:
    run.end()

    assert ends_within(run.join, None, ManualClock())
    assert ends_within(run.join, 0, ManualClock())


def test_the_time_runs_out(run: FakeRun) -> None:
    assert not ends_within(run.join, 2.5, Ticking())


def test_the_loop_goes_on_while_a_run_is_awaited(run: FakeRun) -> None:
    async def story() -> str:
        waiting = asyncio.ensure_future(ended(run))
        await asyncio.sleep(0)
        assert not waiting.done()
        run.end()
        await waiting
        return "ended"

    assert asyncio.run(story()) == "ended"
