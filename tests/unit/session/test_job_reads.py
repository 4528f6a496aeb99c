import asyncio
from time import thread_time

import pytest
import torch
from session_doubles import BrokenEngine, FakeEngine, Net, pairs, small_job, small_task, started

import vfnb
from vfnb.ground import StateError, TrainingError
from vfnb.runtime import Sign
from vfnb.session import Job
from vfnb.spec import (
    CallbackFailed,
    Event,
    Finished,
    NotGuaranteed,
    Options,
    Warned,
)

LONG = 30.0


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


# -- waiting -------------------------------------------------------------------------------------------------


def test_wait_returns_at_the_end(engine: FakeEngine) -> None:
    job = started(engine)
    engine.run.commit(6)
    engine.run.end()

    job.wait(timeout=LONG)

    assert job.state == "done"
    assert list(job.history["step"]) == [1, 2, 3, 4, 5, 6]
    assert job.workers == ()
    assert job.mapping is None


def test_wait_raises_what_ended_the_job(engine: FakeEngine) -> None:
    job = started(engine)
    engine.run.end("failed", TrainingError("the loss raised", step=3, node=1))

    with pytest.raises(TrainingError, match="the loss raised"):
        job.wait(timeout=LONG)


def test_waiting_for_a_job_that_could_not_start_raises_why() -> None:
    job = small_job(BrokenEngine())
    with pytest.raises(OSError, match="no processes left"):
        job.start()

    with pytest.raises(OSError, match="no processes left"):
        job.wait(timeout=LONG)
    with pytest.raises(OSError, match="no processes left"):
        asyncio.run(waited(job))


def test_waiting_too_long_is_a_time_out(engine: FakeEngine) -> None:
    job = started(engine, name="base")

    with pytest.raises(TimeoutError, match="job 'base' is running after 0 s of waiting; it goes on"):
        job.wait(timeout=0)
    assert job.state == "running"


def test_an_interrupt_ends_the_waiting_and_not_the_job(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = started(engine, name="base")

    def interrupted(timeout: float | None = None) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(engine.run, "join", interrupted)
    job.wait()

    assert capsys.readouterr().out == "job 'base' is still running; job.stop() ends it\n"
    assert engine.run.asked == []


def test_a_job_can_be_awaited(engine: FakeEngine) -> None:
    job = started(engine)

    async def story() -> None:
        waiting = asyncio.ensure_future(waited(job))
        await asyncio.sleep(0)
        engine.run.end("failed", ValueError("no luck"))
        await waiting

    with pytest.raises(ValueError, match="no luck"):
        asyncio.run(story())


async def waited(job: Job) -> None:
    await job


# -- what can be read ----------------------------------------------------------------------------------------


def test_reads_take_no_time_at_ten_thousand_steps(engine: FakeEngine) -> None:
    job = started(engine, steps=10_000)
    engine.run.commit(10_000)
    assert len(job.history) == 10_000

    times: dict[str, float] = {}
    for name in ("history", "events", "state", "workers"):
        each = []
        for _ in range(5):
            before = thread_time()
            getattr(job, name)
            each.append(thread_time() - before)
        times[name] = min(each)

    assert max(times.values()) < 0.010, times  # ten times the stated figure


def test_the_fingerprint_moves_with_the_weights(engine: FakeEngine) -> None:
    job = started(engine)
    first = job.fingerprint

    engine.run.commit()
    second = job.fingerprint
    engine.run.end()

    assert first != second == job.fingerprint


def test_the_fingerprint_of_the_end_is_not_that_of_the_beginning(engine: FakeEngine) -> None:
    job = small_job(engine)
    new = job.fingerprint
    job.start()
    engine.run.commit()
    engine.run.end()

    assert job.fingerprint != new


def test_the_model_is_a_copy_with_the_newest_weights(engine: FakeEngine) -> None:
    job = started(engine)
    before = job.model
    engine.run.commit(2)

    after = job.model

    assert isinstance(after, Net)
    torch.testing.assert_close(after.head.bias, before.head.bias + 2)  # type: ignore[operator]  # a Net too
    after.head.bias.data.zero_()
    torch.testing.assert_close(job.model.head.bias, before.head.bias + 2)  # type: ignore[operator]


def test_a_model_given_in_evaluation_mode_comes_back_in_it(engine: FakeEngine) -> None:
    assert not small_job(engine, task=small_task(model=Net().eval())).model.training
    assert small_job(engine).model.training


def test_reasons_against_the_promise_stand_beside_the_fingerprint(engine: FakeEngine) -> None:
    job = started(engine)
    assert job.fingerprint_notes == ()

    engine.run.happen(NotGuaranteed(step=1, what="a kernel", reason="it draws"))

    assert job.fingerprint_notes == ("a kernel: it draws",)


def test_a_job_prints_as_one_line_and_shows_as_a_table(engine: FakeEngine) -> None:
    job = started(engine, name="base")
    engine.run.commit(3)

    assert repr(job) == "<Job 'base', running: step 3 of 6, loss 0.3333, 2 workers, 4 virtual nodes, batch 8>"
    assert "fingerprint" not in job._repr_html_()
    engine.run.end()
    assert job.fingerprint[:12] in job._repr_html_()


def test_a_failed_job_without_a_state_is_still_shown() -> None:
    job = small_job(BrokenEngine())
    with pytest.raises(OSError, match="no processes left"):
        job.start()

    assert "no processes left" in job._repr_html_()


# -- on_event ------------------------------------------------------------------------------------------------


def test_on_event_has_seen_everything_once_the_wait_is_over(engine: FakeEngine) -> None:
    seen: list[Event] = []
    job = started(engine, task=small_task(train=pairs(21)), options=Options(on_event=seen.append))
    engine.run.end()

    job.wait(timeout=LONG)

    assert seen == list(job.events)
    assert isinstance(seen[0], Warned)
    assert isinstance(seen[-1], Finished)
    assert engine.run.program.options.on_event is None


def test_what_on_event_raises_is_an_event(engine: FakeEngine) -> None:
    def fail(event: Event) -> None:
        raise ValueError("no luck")

    job = started(engine, options=Options(on_event=fail))
    engine.run.end()
    job.wait(timeout=LONG)

    (failed,) = [event for event in job.events if isinstance(event, CallbackFailed)]
    assert "no luck" in failed.error
    assert job.state == "done"


def test_on_event_may_wait_for_the_job(engine: FakeEngine) -> None:
    jobs: list[Job] = []
    job = small_job(engine, options=Options(on_event=lambda event: jobs[0].wait(timeout=LONG)))
    jobs.append(job)
    job.start()
    engine.run.end()

    job.wait(timeout=LONG)

    assert not any(isinstance(event, CallbackFailed) for event in job.events)


def test_is_the_public_name() -> None:
    assert vfnb.Job is Job


# -- what workers do -----------------------------------------------------------------------------------------


def test_what_workers_do_is_read_from_the_run_and_nothing_before_it(engine: FakeEngine) -> None:
    assert small_job(engine).activity == {}
    job = started(engine)
    engine.run.signs = {0: Sign(beats=1, phase="compute", step=1, node=3, slowest=0.2)}

    assert job.activity[0].node == 3


def test_a_save_without_a_path_is_the_runs_own_checkpoint(engine: FakeEngine) -> None:
    job = started(engine)
    engine.run.commit(2)

    assert job.save() == job.run_dir / "checkpoints" / "step-2"
    engine.run.end()
    with pytest.raises(StateError, match="is done, so there is nothing to save"):
        job.save()
