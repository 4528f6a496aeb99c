"""What one device takes for a task's passes: all sizes in turn, and that in several rounds.

A machine is busy with other things now and then. Rounds keep that from falling on one size, and of each size the
median round counts.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import median

from tqdm.auto import tqdm

from vfnb.ground import SpecError
from vfnb.runtime import Gauge, Program, Reading, TooLarge
from vfnb.session.environment import hardware_of
from vfnb.spec import Device, DeviceProfile, Point

FILLS, FILLS_FIRST = 3, 4  # passes of a step that is measured, and of one that tells what blocks and steps add
_ROUNDS = 3
_LONG = 1.0  # seconds of a pass, after which one round is enough: it has outlasted what disturbs it
_TOO_LONG = 4.0  # seconds of a pass, after which no larger one is looked at
_LEVEL_AFTER, _GAIN = 4, 1.02  # sizes (a factor of 4) that bring no more than so much: larger ones will not either
_LEAST = 1e-9  # seconds of a pass beside what its block adds


def gauged(program: Program, device: Device, sizes: Sequence[int], known: DeviceProfile | None) -> DeviceProfile:
    """Measure passes on a device, in a process of its kind, with a progress bar.

    Args:
        program: What is measured.
        device: Where.
        sizes: Samples of a pass, ascending.
        known: What was measured of other sizes before.

    Returns:
        All that is known of the device.
    """
    named = f"profile of {type(program.model).__name__} on {DeviceProfile.name_of(device)}"
    smallest = sizes[0] if known is None else min(sizes[0], known.points[0].samples)
    first = min(smallest, len(program.train.dataset) // FILLS_FIRST)
    wanted = [size for size in sizes if size != first]
    with Gauge(program, device) as gauge, tqdm(desc=named, unit="size", disable=None) as bar:
        bar.reset(total=_ROUNDS * (1 + len(wanted)))
        answers = _round(gauge, first, wanted, bar.update)
        readings, too_large = _opened(answers, device, known)
        again = [one.samples for one in readings[1:] if one.seconds < _LONG]
        for _ in range(_ROUNDS - 1):
            readings += [one for one in _round(gauge, first, again, bar.update) if isinstance(one, Reading)]
    found = _joined(readings, device, too_large)
    return found if known is None else found.merged(known)


def levelled(times: Iterable[tuple[int, float]]) -> bool:
    """Tell whether larger passes have stopped being faster a sample.

    Args:
        times: Samples and seconds of passes.

    Returns:
        True where the last few sizes brought next to nothing.
    """
    rates = [samples / seconds for samples, seconds in sorted(times)]
    return len(rates) > _LEVEL_AFTER and max(rates[-_LEVEL_AFTER:]) < _GAIN * max(rates[:-_LEVEL_AFTER])


def _round(gauge: Gauge, first: int, sizes: Sequence[int], step: Callable[[], object]) -> Iterator[Reading | TooLarge]:
    """Measure what blocks and steps add, at the smallest size, where the difference is clearest; then all others."""
    yield gauge.measure(first, overheads=True)
    step()
    for size in sizes:
        yield gauge.measure(size)
        step()


def _opened(
    answers: Iterable[Reading | TooLarge], device: Device, known: DeviceProfile | None
) -> tuple[list[Reading], int | None]:
    """Take the first round's answers as far as it is worth it, and the size that did not fit, if any."""
    found: list[Reading] = []
    before = {one.samples: one.seconds for one in known.points} if known else {}
    for answer in answers:
        if isinstance(answer, TooLarge):
            if not found:
                raise SpecError(
                    f"a pass of {answer.samples} samples does not fit {device}, and nothing smaller was asked for; "
                    "give smaller batches"
                )
            return found, answer.samples
        found.append(answer)
        times = before | {one.samples: one.seconds for one in found}
        if answer.seconds > _TOO_LONG or levelled(times.items()):
            break
    return found, None


def _joined(readings: Sequence[Reading], device: Device, too_large: int | None) -> DeviceProfile:
    overheads = [one.overheads for one in readings if one.overheads is not None]
    block = median(one.block_seconds for one in overheads)
    sizes = sorted({one.samples for one in readings})
    return DeviceProfile(
        device=DeviceProfile.name_of(device),
        hardware=hardware_of(device),
        points=tuple(_point([one for one in readings if one.samples == size], block) for size in sizes),
        block_seconds=block + median(one.tally_seconds for one in overheads),
        step_seconds=median(one.step_seconds for one in overheads),
        too_large=too_large,
    )


def _point(readings: Sequence[Reading], block_seconds: float) -> Point:
    """Put a size's rounds together; what its block added is counted with blocks."""
    return Point(
        samples=readings[0].samples,
        seconds=max(median(one.seconds for one in readings) - block_seconds, _LEAST),
        memory_bytes=min(one.memory_bytes for one in readings),  # a process' peak only grows
        passes=sum(one.passes for one in readings),
    )
