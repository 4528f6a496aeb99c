"""The engines by name, and the devices that each can begin on."""

from collections.abc import Sequence
from typing import Literal

from vfnb.ground import SpecError
from vfnb.runtime import Engine, InlineEngine, LocalEngine
from vfnb.session.choice import Request, best_devices
from vfnb.spec import Device

EngineName = Literal["local", "inline"]


def engine_of(engine: object) -> Engine:
    """Find an engine.

    Args:
        engine: "local", "inline", or an engine itself.

    Returns:
        The engine.

    Raises:
        SpecError: If there is none of that name.
    """
    if engine == "local":
        return LocalEngine()
    if engine == "inline":
        return InlineEngine()
    if isinstance(engine, Engine) and not isinstance(engine, type):
        return engine
    raise SpecError(
        f"engine={engine!r} is unknown; give 'local' (worker processes) or 'inline' (this process, to debug)"
    )


def trains_inside_start(engine: Engine) -> bool:
    """Tell whether an engine trains in the calling thread, on one device that stays.

    Args:
        engine: The engine.

    Returns:
        True for the inline engine.
    """
    return isinstance(engine, InlineEngine)


def first_devices(
    request: Request, here: Sequence[Device], engine: Engine, *, threads: int, blocks: int
) -> tuple[Device, ...]:
    """Choose a job's first devices.

    Args:
        request: What the user wrote.
        here: What this machine has.
        engine: Where it runs.
        threads: Of a CPU slot whose name does not say.
        blocks: That the job begins with; None asks for no more devices than these.

    Returns:
        The devices.

    Raises:
        SpecError: If there are not so many, or the engine takes one.
    """
    chosen = best_devices(request, here, threads=threads)
    most = 1 if trains_inside_start(engine) else blocks
    if request is None:
        return chosen[:most]
    if trains_inside_start(engine) and len(chosen) > 1:
        raise SpecError(
            f"devices={request!r} are {len(chosen)}; engine='inline' trains on one: give one, or use 'local'"
        )
    return chosen
