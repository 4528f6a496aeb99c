"""A run read back from the lines that it left: pure functions that take a torn line for what it is."""

from collections.abc import Iterable, Iterator

from vfnb.ground import VfnbError
from vfnb.runtime import State, Status
from vfnb.session.ledger import Ledger
from vfnb.spec import Event, Failed, Finished, Paused, Recovered, Resumed, Row, Stage, Stopped, from_json


def replay(steps: Iterable[str], events: Iterable[str], stages: Iterable[str] = ()) -> Ledger:
    """Fold a run's lines into what was known of it.

    Args:
        steps: The lines of steps.jsonl; a step that stands there again replaces the earlier one.
        events: The lines of events.jsonl.
        stages: The lines of stages.jsonl.

    Returns:
        The ledger. A run that did not end reads "running" or "paused", whether or not its process is there.
    """
    told = list(read_events(events))
    rows = list(read_rows(steps))
    step = max([row.step for row in rows] + [event.step for event in told], default=0)
    ledger = Ledger(Status(state=state_after(told), step=step))
    for news in (*rows, *told, *read_stages(stages)):
        ledger.fold(news)
    return ledger


def read_rows(lines: Iterable[str]) -> Iterator[Row]:
    """Read rows.

    Args:
        lines: JSON, a row each; one that cannot be read was torn by the end of its writer and is left out.

    Returns:
        The rows, in their order.
    """
    return (found for line in lines if isinstance(found := _read(line), Row))


def read_events(lines: Iterable[str]) -> Iterator[Event]:
    """Read events.

    Args:
        lines: JSON, an event each; one that cannot be read was torn by the end of its writer and is left out.

    Returns:
        The events, in their order.
    """
    return (found for line in lines if isinstance(found := _read(line), Event))


def read_stages(lines: Iterable[str]) -> Iterator[Stage]:
    """Read stages.

    Args:
        lines: JSON, a stage each; one that cannot be read was torn by the end of its writer and is left out.

    Returns:
        The stages, in their order.
    """
    return (found for line in lines if isinstance(found := _read(line), Stage))


def state_after(events: Iterable[Event]) -> State:
    """Tell a run's state from what happened to it.

    Args:
        events: In their order.

    Returns:
        "done", "stopped" or "failed" where it ended; else "paused" or "running".
    """
    state: State = "running"
    for event in events:
        match event:
            case Finished():
                return "done"
            case Stopped():
                return "stopped"
            case Failed():
                return "failed"
            case Paused():
                state = "paused"
            case Resumed() | Recovered():
                state = "running"
            case _:
                pass
    return state


def _read(line: str) -> object:
    try:
        return from_json(line)
    except VfnbError:
        return None
