"""What is to be done next, as a pure function of what the driver knows.

There is no script for a resize, a loss or a pause: workers that train are parked when something must change; once
all stand still, whoever lacks the newest state gets it, whoever is not needed leaves, and the rest forms the next
generation. A loss at any moment only changes what the next look sees.
"""

from dataclasses import dataclass

from vfnb.runtime import messages
from vfnb.runtime.known import Known
from vfnb.runtime.seats import VOID, Handover, Phase, Seat, Wish

NOT_ASKED = 0  # the number of an order that answers no wish
_PATIENCE = 5.0  # seconds to form a group; doubled with each failure in a row, as a loaded machine may need
_MOST_PATIENCE = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """Send a command.

    Attributes:
        command: The command.
        workers: To whom.
        phase: What they do from then on; None where they go on with what they do.
        wish: What the command grants.
    """

    command: messages.Command
    workers: tuple[int, ...]
    phase: Phase | None = None
    wish: Wish | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    """Start the workers that the next change needs; the others go on meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """Note that all stand still."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """Apply the next change: all stand still and its workers are up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrive:
    """Answer the changes of a run that stands still: its workers hold the state, or are gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """Grant all wishes from the written state: there is no worker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoBack:
    """Go on from an older state: no worker that is left has the newest.

    Attributes:
        step: The state's.
    """

    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Let everybody leave.

    Attributes:
        last: The state to keep, written by then; None where there is none.
    """

    last: Handover | None


Decision = Send | Welcome | Rest | Switch | Arrive | Recall | GoBack | End


def decide(known: Known) -> Decision | None:
    """Say what brings a run nearer to how it should be.

    Args:
        known: How things are; each decision, once carried out, changes it.

    Returns:
        The next thing to do; None while there is only something to wait for.
    """
    return None if known.over else _next(known) or _welcome(known)


def _next(known: Known) -> Decision | None:
    phases = {seat.phase for seat in known.members()}
    if phases & {"training", "forming"}:
        return _while_moving(known, phases)
    if "starting" in phases:
        return End(last=None) if known.want == "end" else None
    return None if known.in_phase("busy") else _while_still(known)


def _welcome(known: Known) -> Welcome | None:
    waits = known.changes and not known.changes[0].begun and known.want != "end"
    return Welcome() if waits else None


def _while_moving(known: Known, phases: set[Phase]) -> Decision | None:
    if known.broken or known.parking or phases != {"training"}:
        return None
    if known.want != "train" or known.ripe():
        return Send(command=messages.Park(number=known.order + 1), workers=tuple(known.in_phase("training")))
    wish = next((wish for wish in known.wishes if wish.number == NOT_ASKED), None)
    return None if wish is None else _grant(known, wish, known.members()[0])


def _while_still(known: Known) -> Decision | None:
    if not known.at_rest():
        return Rest()
    source = known.source()
    if known.wishes and (source is not None or known.suspended):
        return Recall() if source is None else _grant(known, known.wishes[0], source)
    if known.want == "end":
        writes = not known.written() and not known.no_room
        return _hand_over(known, source) if source and writes else End(last=known.written())
    # Who parked may know of a step that was not told yet: the next generation tells it, before all leave.
    untold = known.want == "train" and known.step < known.newest()
    if known.ripe() and not (known.suspends() and untold):
        return _suspend(known, source) if known.suspends() else Switch()
    if VOID < known.newest() < known.step - 1:  # one step is what survivors may lack, and do again
        return GoBack(step=known.newest())
    return _share(known, source) if known.lacking() else _go_on(known)


def _suspend(known: Known, source: Seat | None) -> Decision | None:
    """Let all workers go once the state is written."""
    if known.written():
        return Switch()
    return None if source is None else _hand_over(known, source)


def _grant(known: Known, wish: Wish, writer: Seat) -> Send:
    """Have a state written: by one of those that train, at their next boundary, or by one that stands still."""
    number = known.order + 1
    path = known.launch.run_dir if wish.checkpoint else known.private / f"state-{number}.pt"
    command = messages.Write(number=number, writer=writer.id, path=str(path), checkpoint=wish.checkpoint)
    if writer.phase == "training":
        return Send(command=command, workers=tuple(known.in_phase("training")), wish=wish)
    return Send(command=command, workers=(writer.id,), phase="busy", wish=wish)


def _hand_over(known: Known, source: Seat) -> Send:
    path = known.private / f"handover-{known.generation}-{source.step}.pt"
    command = messages.Write(number=NOT_ASKED, writer=source.id, path=str(path), checkpoint=False)
    return Send(command=command, workers=(source.id,), phase="busy")


def _share(known: Known, source: Seat | None) -> Decision | None:
    """Bring every member to the newest state, through a file."""
    written = known.written()
    if written is not None:
        lacking = tuple(seat.id for seat in known.lacking())
        return Send(command=messages.Load(path=str(written.path)), workers=lacking, phase="busy")
    return None if source is None else _hand_over(known, source)


def _go_on(known: Known) -> Decision | None:
    if unneeded := known.unneeded():
        return Send(command=messages.Leave(), workers=tuple(unneeded), phase="leaving")
    if known.suspended and known.in_phase("leaving"):
        return None  # their devices are free once they are gone
    if known.suspended or known.want == "pause":
        return Arrive() if known.transitions else None
    members = known.members()
    form = messages.Form(
        generation=known.generation + 1,
        mapping=known.mapping,
        store=str(known.private / f"group-{known.generation + 1}"),
        nccl=known.nccl(seat.device for seat in members),
        patience=min(_PATIENCE * 2.0 ** min(known.failed_forms, 9), _MOST_PATIENCE),
        order=known.order,
    )
    return Send(command=form, workers=tuple(seat.id for seat in members), phase="forming")
