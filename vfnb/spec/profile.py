"""What was measured of a task on devices: how long a pass of so many samples takes, and how much memory it needs.

A profile is of one subject (model, loss, optimizer, a sample's form, precision, sum) under one set of versions, on
any number of devices: profiles of the same subject merge, those of different ones are refused by name.
"""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite
from typing import Any, Self

from vfnb.ground import SpecError
from vfnb.spec.checks import check_count
from vfnb.spec.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One size of pass.

    Args:
        samples: In the pass, 1 or more.
        seconds: The median of a forward and backward pass with reading its samples.
        memory_bytes: The peak that the worker held, its model and sums among it; on a CPU its whole process.
        passes: How many passes the median is of.

    Raises:
        SpecError: If a number is not possible.
    """

    samples: int
    seconds: float
    memory_bytes: int
    passes: int = 1

    def __post_init__(self) -> None:
        check_count("samples", self.samples)
        check_count("memory_bytes", self.memory_bytes, least=0)
        check_count("passes", self.passes)
        _check_seconds("seconds", self.seconds, positive=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceProfile:
    """How fast one kind of device is at the subject.

    Args:
        device: As `DeviceProfile.name_of` gives it: "cuda", "cpu", "cpu/4".
        hardware: What it is: a processor's or GPU's name.
        points: By samples, ascending, one or more.
        block_seconds: What a block adds: its part in the sum.
        step_seconds: What a step adds: the sum's end, the optimizer.
        too_large: The smallest pass that did not fit; None where all did.

    Raises:
        SpecError: If there is no point, points are out of order, or a number is not possible.
    """

    device: str
    hardware: str
    points: tuple[Point, ...]
    block_seconds: float
    step_seconds: float
    too_large: int | None = None

    def __post_init__(self) -> None:
        sizes = [point.samples for point in self.points]
        if not sizes or any(one >= other for one, other in pairwise(sizes)):
            raise SpecError(f"points of samples {sizes} are not possible; give one or more, each larger than the last")
        _check_seconds("block_seconds", self.block_seconds, positive=False)
        _check_seconds("step_seconds", self.step_seconds, positive=False)
        if self.too_large is not None:
            check_count("too_large", self.too_large)

    @staticmethod
    def name_of(device: Device) -> str:
        """Name a kind of device with its threads: all slots of a kind are equally fast.

        Args:
            device: One of the kind.

        Returns:
            Such as "cuda", "cpu" or "cpu/4"; one made to look slower is a kind of its own.
        """
        return device.rounding + device.remark

    @property
    def largest(self) -> int:
        """Samples of the largest pass that was measured."""
        return self.points[-1].samples

    @property
    def alone(self) -> tuple[tuple[int, float], ...]:
        """Samples and seconds of each pass that was measured, alone in its block and with the block's part in the sum.

        Times never fall: where a larger pass took less, a smaller one was disturbed and is given the larger one's.
        """
        least, found = float("inf"), []
        for point in reversed(self.points):
            least = min(least, point.seconds + self.block_seconds)
            found.append((point.samples, least))
        return tuple(reversed(found))

    def pass_seconds(self, samples: int) -> float:
        """Give a pass's time: measured, or on the line between the points around it.

        Args:
            samples: In the pass; below the first point and above the last the nearest line goes on.

        Returns:
            Seconds.
        """
        return self._between(samples, "seconds")

    def pass_bytes(self, samples: int) -> int:
        """Give a pass's peak memory in the same way.

        Args:
            samples: In the pass.

        Returns:
            Bytes.
        """
        return int(self._between(samples, "memory_bytes"))

    def _between(self, samples: int, name: str) -> float:
        sizes = [point.samples for point in self.points]
        values = [float(getattr(point, name)) for point in self.points]
        if len(sizes) == 1:
            return values[0] * samples / sizes[0] if name == "seconds" else values[0]
        place = min(max(bisect_left(sizes, samples), 1), len(sizes) - 1)
        low, high = place - 1, place
        slope = (values[high] - values[low]) / (sizes[high] - sizes[low])
        # A pass of fewer samples than any measured costs less, though never less than nothing.
        return max(values[low] + slope * (samples - sizes[low]), min(values[0], values[low] * samples / sizes[low]))

    def merged(self, other: Self) -> Self:
        """Join what was measured of the same device; where both have a size, `other` counts.

        Args:
            other: Of the same device.

        Returns:
            All of it.
        """
        points = {point.samples: point for point in (*self.points, *other.points)}
        limits = [limit for limit in (self.too_large, other.too_large) if limit is not None]
        joined = tuple(points[samples] for samples in sorted(points))
        return replace(other, points=joined, too_large=min(limits, default=None))


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What was measured of one subject, as JSON under `vfnb.spec.to_json`.

    Args:
        subject: What was measured, by name: "model", "architecture", "loss", "sample", "precision", ...
        versions: Of the libraries that computed it.
        speeds: A device each.

    Raises:
        SpecError: If a device is there twice.
    """

    subject: dict[str, str]
    versions: dict[str, str]
    speeds: tuple[DeviceProfile, ...]

    def __post_init__(self) -> None:
        named = [(speed.device, speed.hardware) for speed in self.speeds]
        if len(set(named)) < len(named):
            raise SpecError(f"the devices {named} are not all different; merge what was measured of one")

    def speed(self, device: Device, hardware: str) -> DeviceProfile | None:
        """Find what was measured of a device.

        Args:
            device: The device.
            hardware: What it is.

        Returns:
            It; None where nothing was.
        """
        wanted = (DeviceProfile.name_of(device), hardware)
        return next((one for one in self.speeds if (one.device, one.hardware) == wanted), None)

    def merged(self, other: Self) -> Self:
        """Join two profiles of one subject.

        Args:
            other: Measured later, or elsewhere; where both have a size of a device, it counts.

        Returns:
            All of it; a SpecError names what differs where they are of different subjects.
        """
        self.check_is_of(other.subject, other.versions)
        speeds = {(one.device, one.hardware): one for one in self.speeds}
        for one in other.speeds:
            known = speeds.get((one.device, one.hardware))
            speeds[one.device, one.hardware] = one if known is None else known.merged(one)
        return replace(self, speeds=tuple(speeds.values()))

    def check_is_of(self, subject: Mapping[str, str], versions: Mapping[str, str]) -> None:
        """Refuse another subject, or other versions.

        Args:
            subject: What it should be of.
            versions: What it should have been measured with.

        Raises:
            SpecError: If something differs; names it.
        """
        differing = [
            f"its {name} is {there.get(name, 'not known')}, here it is {here.get(name, 'not known')}"
            for there, here in ((self.subject, subject), (self.versions, versions))
            for name in sorted(there.keys() | here.keys())
            if there.get(name) != here.get(name)
        ]
        if differing:
            raise SpecError(f"the profile is of another task or version: {'; '.join(differing)}; measure anew")

    @property
    def kinds(self) -> dict[str, DeviceProfile]:
        """What was measured by the device's name, with its hardware where two have the same name."""
        names = [one.device for one in self.speeds]
        return {
            one.device if names.count(one.device) == 1 else f"{one.device} ({one.hardware})": one for one in self.speeds
        }

    @property
    def rates(self) -> dict[str, Any]:
        """The profile as a file for `vfnb solve` that people write themselves: samples a second by samples a pass."""
        devices = {
            kind: {str(samples): samples / seconds for samples, seconds in one.alone}
            for kind, one in self.kinds.items()
        }
        return {"unit": "samples/s", "devices": devices}


def _check_seconds(name: str, value: object, *, positive: bool) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and isfinite(value) and value >= 0 and (value > 0 or not positive)):  # type: ignore[arg-type,operator]  # `number` proves it
        raise SpecError(f"{name}={value!r} is not possible; give a finite number {'above' if positive else 'from'} 0")
