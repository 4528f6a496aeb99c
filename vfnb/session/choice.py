"""Which devices a job gets for what the user wrote: None, a number, or names."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count, islice

from vfnb.ground import SpecError
from vfnb.spec import Device

Request = int | str | Device | Sequence[str | Device] | None

_BEST_FIRST = ("cuda", "xpu", "mps", "cpu")
_GIVE = "give a number of at least 1, names such as ['cuda:0', 'cpu:1'], or None for all of the best kind"


def best_devices(request: Request, here: Sequence[Device], *, threads: int = 1) -> tuple[Device, ...]:
    """Choose a job's first devices.

    Args:
        request: None for every device of the best kind here; a number for the first so many of it (where
            there is only the CPU, that many CPU slots); names for exactly these.
        here: What this machine has.
        threads: Of a CPU slot whose name does not say.

    Returns:
        The devices, one or more, in the order that they are asked for.

    Raises:
        SpecError: If there are not so many, or no such ones, or none is asked for.
    """
    if request is None or (isinstance(request, int) and not isinstance(request, bool)):
        kind = next(kind for kind in _BEST_FIRST if any(device.kind == kind for device in here))
        own = [device for device in here if device.kind == kind]
        if kind == "cpu":
            own = _slots(len(own) // threads or 1 if request is None else request, threads)
        return _first(request, own, here)
    return _named(request, here, threads)


def next_devices(
    request: Request, present: Sequence[Device], here: Sequence[Device], *, threads: int = 1
) -> tuple[Device, ...]:
    """Choose the devices that a running job goes on with.

    A number keeps as many of the present devices as it can, the first ones, and adds others of their kind.

    Args:
        request: As for `best_devices`.
        present: The job's devices now, in the order of its workers.
        here: What this machine has.
        threads: Of a CPU slot whose name does not say.

    Returns:
        The devices.

    Raises:
        SpecError: If there are not so many, or no such ones, or none is asked for.
    """
    kinds = {device.kind for device in present}
    if isinstance(request, bool) or not isinstance(request, int) or len(kinds) != 1:
        return best_devices(request, here, threads=threads)
    spare: Iterable[Device] = [device for device in here if device.kind in kinds]
    if "cpu" in kinds:
        taken = {device.index for device in present}
        spare = (Device("cpu", index, present[0].threads) for index in count() if index not in taken)
    own = [
        *present,
        *islice((device for device in spare if device not in present), max(0, request - len(present))),
    ]
    return _first(request, own, here)


def device_remarks(chosen: Sequence[Device], here: Sequence[Device]) -> Iterator[str]:
    """Say what is unusual about a choice of devices.

    Args:
        chosen: The devices.
        here: What this machine has.

    Yields:
        A sentence each.
    """
    cores = sum(device.kind == "cpu" for device in here)
    threads = sum(device.threads for device in chosen if device.kind == "cpu")
    if threads > cores:
        yield (
            f"the CPU slots have {threads} threads, this machine has {cores} "
            f"{'core' if cores == 1 else 'cores'}: the bits are the same, but workers wait for each other"
        )
    for device, times in Counter(chosen).items():
        if times > 1:
            yield f"{times} workers share {device}: the bits are the same, but each waits for the others"


def mixed_kinds(chosen: Sequence[Device]) -> str | None:
    """Say where devices are of more than one kind, or slots of several thread counts: each computes other bits.

    Args:
        chosen: The devices.

    Returns:
        The kinds; None where there is one.
    """
    kinds = sorted({device.rounding for device in chosen})
    return None if len(kinds) == 1 else " and ".join(kinds)


def _first(request: int | None, own: Sequence[Device], here: Sequence[Device]) -> tuple[Device, ...]:
    if request is None:
        return tuple(own)
    if request < 1:
        raise SpecError(f"devices={request} leaves no worker; {_GIVE}")
    if request > len(own):
        raise SpecError(f"devices={request} is more than there are; this machine has {_listed(here)}")
    return tuple(own[:request])


def _named(request: object, here: Sequence[Device], threads: int) -> tuple[Device, ...]:
    names = [request] if isinstance(request, str | Device) else request
    if not isinstance(names, Sequence) or not names or not all(isinstance(name, str | Device) for name in names):
        raise SpecError(f"devices={request!r} names no device; {_GIVE}")
    chosen = tuple(_device(name, threads) for name in names)
    for device in chosen:
        if device.kind != "cpu" and device not in here:
            raise SpecError(f"there is no {device} here; this machine has {_listed(here)}")
    if len(kinds := {device.kind for device in chosen}) > 1 and "mps" in kinds:
        raise SpecError(
            f"devices={request!r} mix mps with others; it has no fp64 and sums in another form: name one kind"
        )
    slots = Counter(device.index for device in chosen if device.kind == "cpu")
    twice = [index for index, times in slots.items() if times > 1]
    if twice:
        raise SpecError(f"cpu:{twice[0]} is a slot for one worker and is named twice; CPU slots are cpu:0, cpu:1, ...")
    return chosen


def _device(name: str | Device, threads: int) -> Device:
    if isinstance(name, Device):
        return name
    device = Device.parse(name)
    says = device.kind != "cpu" or "/" in name.partition("@")[0]
    return device if says else replace(device, threads=threads)


def _slots(slots: int, threads: int) -> list[Device]:
    return [Device("cpu", index, threads) for index in range(slots)]


def _listed(here: Sequence[Device]) -> str:
    return ", ".join(str(device) for device in here)
