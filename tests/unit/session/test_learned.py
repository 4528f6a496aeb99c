from concurrent.futures import Future
from typing import Any

import pytest
from session_doubles import FakeEngine, FakeRun, started

from vfnb.ground import StateError, WorkerLostError
from vfnb.runtime import Status
from vfnb.session.learned import Learned, newest_state
from vfnb.session.ledger import Ledger


class Late(FakeRun):
    """Loses one question to its own end."""

    lost = True

    def snapshot(self) -> "Future[dict[str, Any]]":
        if not self.lost:
            return super().snapshot()
        self.lost = False
        future: Future[dict[str, Any]] = Future()
        future.set_exception(WorkerLostError("the run ended before its state could be written"))
        return future


def late() -> Late:
    engine = FakeEngine()
    started(engine)
    run = engine.run
    return Late(run.program, run.launch, run.sink)


def test_a_question_that_the_end_overtook_is_asked_again() -> None:
    run = late()
    run.step = 3
    run.end()

    assert newest_state(run)["step"] == 3


def test_a_loss_while_training_is_passed_on() -> None:
    with pytest.raises(WorkerLostError):
        newest_state(late())


@pytest.mark.parametrize("state", ["running", "failed"])
def test_a_job_without_a_run_has_no_state_to_give(state: Any) -> None:
    prepared: Any = None  # not asked, since the job has begun
    learned = Learned(prepared, Ledger(Status(state=state, step=1)))

    with pytest.raises(StateError, match=f"the job is {state} and has no state to give"):
        learned.fingerprint()
