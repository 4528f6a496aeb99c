from threading import Event as Flag
from threading import current_thread, main_thread

from vfnb.session.announcer import Announcer
from vfnb.spec import CallbackFailed, Event, Warned

LONG = 30.0


def warned(step: int) -> Warned:
    return Warned(step=step, at=5.0, message="careful")


def ignore(event: CallbackFailed) -> None:
    raise AssertionError(event)


def test_the_function_sees_every_event_in_order() -> None:
    seen: list[Event] = []
    announcer = Announcer(seen.append, ignore, "run")

    for step in range(20):
        announcer.tell(warned(step))

    assert announcer.settled(LONG)
    assert [event.step for event in seen] == list(range(20))


def test_the_function_runs_on_a_thread_of_its_own_that_holds_nobody_up() -> None:
    release, threads = Flag(), []

    def slow(event: Event) -> None:
        threads.append(current_thread())
        release.wait(LONG)

    announcer = Announcer(slow, ignore, "run")
    announcer.tell(warned(1))

    assert not announcer.settled(0.01)
    release.set()
    assert announcer.settled(LONG)
    assert threads[0] is not main_thread()
    assert threads[0].daemon


def test_what_the_function_raises_is_reported_and_the_next_event_still_comes() -> None:
    failures: list[CallbackFailed] = []
    seen: list[int] = []

    def fails_once(event: Event) -> None:
        seen.append(event.step)
        if event.step == 1:
            raise ValueError("no such file")

    announcer = Announcer(fails_once, failures.append, "run")
    announcer.tell(warned(1))
    announcer.tell(warned(2))

    assert announcer.settled(LONG)
    assert seen == [1, 2]
    (failure,) = failures
    assert (failure.step, failure.at) == (1, 5.0)
    assert "ValueError: no such file" in failure.error
    assert "fails_once" in failure.error


def test_waiting_within_the_function_itself_is_no_deadlock() -> None:
    answers: list[bool] = []
    announcer = Announcer(lambda event: answers.append(announcer.settled(LONG)), ignore, "run")

    announcer.tell(warned(1))

    assert announcer.settled(LONG)
    assert answers == [True]
