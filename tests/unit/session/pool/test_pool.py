"""What a user asks of a pool; its jobs are in the test's hands, its thread is its own."""

import math
from collections.abc import Iterator
from typing import Any

import pytest
from jobs import until
from session_doubles import BrokenEngine, FakeEngine, small_job, small_task, started

from vfnb.ground import PlanError, SpecError, StateError
from vfnb.planning import State
from vfnb.session import Pool


@pytest.fixture
def pool() -> Iterator[Pool]:
    """Give a pool of four slots, and end its jobs."""
    made = Pool(4)
    yield made
    made.close()
    made.wait(timeout=30)


def submitted(pool: Pool, name: str, devices: int = 4, **known: Any) -> FakeEngine:
    engine = FakeEngine()
    pool.submit(small_job(engine, name=name, devices=devices), **known)
    return engine


def shares(pool: Pool, **sizes: int) -> None:
    """Wait until each job trains on so many devices."""

    def as_told() -> bool:
        jobs = pool.jobs  # a job has its devices before it trains on them
        trains = all(job.state == "running" for job in jobs if job.devices)
        return trains and {job.name: len(job.devices) for job in jobs} == sizes

    until(as_told)


def test_jobs_share_and_the_first_grows_when_the_second_ends(pool: Pool) -> None:
    first = submitted(pool, "a")
    shares(pool, a=4)
    second = submitted(pool, "b", priority=5)
    shares(pool, a=2, b=2)
    second.run.end()
    shares(pool, a=4, b=0)
    first.run.end()
    pool.wait(timeout=30)

    assert [(job.name, job.state, job.demand, job.priority) for job in pool.jobs] == [
        ("a", "done", 4, 5.0),
        ("b", "done", 4, 5),
    ]
    table = pool.timeline
    assert list(table.columns) == ["time", "job", "devices"]
    assert table.time.is_monotonic_increasing
    assert list(zip(table.job, table.devices, strict=True)) == [
        ("a", 4),
        ("a", 2),
        ("b", 2),
        ("b", 0),
        ("a", 4),
        ("a", 0),
    ]
    assert repr(pool) == "<Pool 'wfs': 0 of 4 cpu devices in use, 2 done>"


def test_a_pool_is_shown_as_a_table_with_its_allocation(pool: Pool) -> None:
    assert repr(pool) == "<Pool 'wfs': 0 of 4 cpu devices in use, no jobs yet>"
    submitted(pool, "one & only", devices=2)
    shares(pool, **{"one & only": 2})

    page = pool._repr_html_()

    assert "one &amp; only" in page
    assert "cpu:0, cpu:1" in page
    assert "devices of one &amp; only over time" in page
    assert repr(pool) == "<Pool 'wfs': 2 of 4 cpu devices in use, 1 running>"


def test_a_cancelled_job_ends_and_one_that_waits_is_given_back() -> None:
    pool = Pool(1, policy="fifo")
    runs, waits = FakeEngine(), small_job(FakeEngine(), name="b", devices=1)
    pool.submit(small_job(runs, name="a", devices=1))
    pool.submit(waits)
    until(lambda: pool.jobs[0].state == "running")

    pool.cancel(waits)
    pool.cancel("a")
    pool.cancel(waits)
    pool.wait(timeout=30)

    assert [job.state for job in pool.jobs] == ["stopped", "cancelled"]
    assert runs.run.asked == ["stop"]
    waits.start()
    assert waits.state == "running"


def test_a_closed_pool_takes_no_job(pool: Pool) -> None:
    engine = submitted(pool, "a")
    until(lambda: hasattr(engine, "run"))
    pool.close()
    pool.wait(timeout=30)

    assert pool.jobs[0].state == "stopped"
    with pytest.raises(StateError, match="this pool is closed; make a new one"):
        submitted(pool, "b")


def test_waiting_ends_with_its_time_and_the_jobs_go_on(pool: Pool) -> None:
    engine = submitted(pool, "a")
    with pytest.raises(TimeoutError, match=r"has not ended after 0.01 s of waiting; it goes on"):
        pool.wait(timeout=0.01)
    until(lambda: hasattr(engine, "run"))
    engine.run.end()
    pool.wait(timeout=30)


def test_an_interrupt_ends_the_waiting_and_no_job(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    submitted(pool, "a")
    shares(pool, a=4)
    with monkeypatch.context() as patch:
        patch.setattr(pool._idle, "wait", interrupted)
        pool.wait()

    said = "<Pool 'wfs': 4 of 4 cpu devices in use, 1 running> goes on; pool.close() ends its jobs\n"
    assert capsys.readouterr().out == said
    assert pool.jobs[0].state == "running"


def test_a_policy_that_fails_later_is_raised_by_waiting() -> None:
    def strict(state: State) -> dict[str, int]:
        if len(state.claims) == 1 and state.claims[0].name == "b":
            return {"b": 3}
        return {claim.name: 1 for claim in state.claims}

    pool = Pool(2, policy=strict)
    first, second = submitted(pool, "a", devices=2), submitted(pool, "b", devices=2)
    shares(pool, a=1, b=1)
    first.run.end()

    with pytest.raises(PlanError, match="policy 'strict' gives out 3 devices of 'cpu' and there are 2"):
        pool.wait(timeout=30)
    second.run.end()
    until(lambda: not pool._keeper.busy)


def test_an_engine_that_cannot_start_is_recorded_and_waiting_ends(pool: Pool) -> None:
    pool.submit(small_job(BrokenEngine(), name="a"))
    pool.wait(timeout=30)

    assert [(job.state, job.error) for job in pool.jobs] == [("failed", "no processes left")]


def test_what_cannot_be_submitted_is_refused_with_a_sentence(pool: Pool) -> None:
    one, twin = (small_job(FakeEngine(), name="one", run_dir=folder) for folder in ("first", "second"))
    pool.submit(one)
    wrong: list[tuple[Any, type[Exception], str]] = [
        (
            lambda: pool.submit(one),
            StateError,
            "job 'one' is in a pool, which decides on its devices, so you cannot sub",
        ),
        (
            lambda: pool.submit(started(FakeEngine())),
            StateError,
            "was started already and is running; submit a job that",
        ),
        (lambda: pool.submit(twin), StateError, "this pool has a job named 'one' already; give this one another"),
        (lambda: submitted(Pool(1), "big", 2), PlanError, "'big' asks for 2 devices and the pool has 1; make it with"),
        (lambda: submitted(pool, "x", priority=0), SpecError, "priority=0 is not possible; give a number above 0"),
        (lambda: submitted(pool, "x", priority=math.nan), SpecError, "priority=nan is not possible"),
        (lambda: pool.priority(one, -1), SpecError, "priority=-1 is not possible"),
        (lambda: pool.priority("two", 1), StateError, "there is no job 'two' in this pool; its jobs are one"),
        (lambda: pool.cancel(twin), StateError, "there is no job 'one' in this pool"),
        (lambda: Pool(["cpu:0", "cpu:1/4"]), SpecError, "these are cpu and cpu/4; make a pool of each"),
        (lambda: Pool(1, policy="wsf"), SpecError, "there is no policy 'wsf'; did you mean wfs"),
        (lambda: Pool(0), SpecError, "devices=0 leaves no worker"),
        (lambda: pool.submit(small_job("inline", devices=1)), StateError, "has engine='inline' and trains inside sta"),
        (
            lambda: pool.submit(small_job(FakeEngine(), devices=["cpu:0/4"])),
            PlanError,
            "is for cpu/4 and the pool has cpu; make the job with devices like cpu:0",
        ),
    ]
    for attempt, kind, said in wrong:
        with pytest.raises(kind, match=said):
            attempt()
    assert [job.name for job in pool.jobs] == ["one"]


def test_what_a_job_cannot_compute_is_raised_where_it_is_submitted(pool: Pool) -> None:
    def broken(model: Any, batch: Any) -> Any:
        raise ZeroDivisionError("my own mistake")

    with pytest.raises(ZeroDivisionError, match="my own mistake"):
        pool.submit(small_job(FakeEngine(), task=small_task(loss=broken)))
    assert pool.jobs == ()
