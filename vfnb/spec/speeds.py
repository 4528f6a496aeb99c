"""How fast kinds of devices are, as measured: the seconds of one pass by its samples, from a profile or a file."""

import json
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Any, Self

from vfnb.ground import SpecError
from vfnb.spec.checks import check_count
from vfnb.spec.profile import Profile
from vfnb.spec.wire import from_json

UNITS = ("samples/s", "seconds")
_NOISE = 0.02  # a larger pass may seem this much faster before its measurement is refused


@dataclass(frozen=True, slots=True)
class Speed:
    """What was measured of one device: pairs of a pass's samples and its seconds.

    Args:
        kind: The device's kind, such as "V100".
        points: The pairs, in any order; kept ascending. The largest is the most that the device's memory holds.

    Raises:
        SpecError: If there is no point, one stands twice or is no time, or a larger pass takes less time.
    """

    kind: str
    points: tuple[tuple[int, float], ...]

    def __post_init__(self) -> None:
        if not self.points:
            raise SpecError(f"{self.kind} has no measured pass; measure at least one")
        for batch, seconds in self.points:
            check_count(f"{self.kind}'s batch", batch)
            _check_positive(f"{self.kind}'s time at {batch} samples a pass", seconds)
        object.__setattr__(self, "points", tuple(sorted(self.points)))
        for (smaller, less), (larger, more) in pairwise(self.points):
            if smaller == larger:
                raise SpecError(f"{self.kind} has two measurements of {larger} samples a pass; keep one")
            if more < (1 - _NOISE) * less:
                raise SpecError(
                    f"{self.kind}'s time falls from {less:.4g} s to {more:.4g} s where the pass grows from {smaller} "
                    f"to {larger} samples; measure both again on an idle device"
                )

    @property
    def smallest(self) -> int:
        """The fewest samples that were measured."""
        return self.points[0][0]

    @property
    def largest(self) -> int:
        """The most samples that were measured: what the device's memory holds."""
        return self.points[-1][0]

    def seconds(self, batch: int) -> float:
        """Give the time of one pass, on a line between the two measured neighbours.

        Args:
            batch: Its samples.

        Returns:
            The seconds.

        Raises:
            SpecError: If that is outside what was measured.
        """
        if not self.smallest <= batch <= self.largest:
            raise SpecError(f"{self.kind} was not measured at {batch} samples a pass but at {self.range}; measure it")
        at = bisect_left(self.points, (batch, 0.0))
        above, more = self.points[at]
        if above == batch:
            return more
        below, less = self.points[at - 1]
        return less + (more - less) * (batch - below) / (above - below)

    @property
    def range(self) -> str:
        """What was measured, in words."""
        return f"{self.smallest} to {self.largest}" if len(self.points) > 1 else f"{self.largest} alone"


@dataclass(frozen=True, slots=True)
class Speeds:
    """The measured kinds of a profile file.

    Args:
        kinds: One measurement a kind.
        communication: Seconds that a step of several devices takes beside its passes, as measured; None where it
            was not.

    Raises:
        SpecError: If there is no kind, one stands twice, or the seconds are none.
    """

    kinds: tuple[Speed, ...]
    communication: float | None = None

    def __post_init__(self) -> None:
        names = [speed.kind for speed in self.kinds]
        if not names or len(set(names)) < len(names):
            raise SpecError(f"a profile needs kinds of devices, each once, not {names}; measure some")
        if self.communication is not None and self.communication != 0:
            _check_positive("communication_seconds", self.communication)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read a profile file.

        Args:
            text: JSON such as `{"unit": "samples/s", "devices": {"V100": {"192": 1131.4, "256": 1169.8}},
                "communication_seconds": 1.06}`: a kind's samples a pass, and the rate of one device at that. The
                unit can be "seconds", the time of a pass. Or a profile that `vfnb.profile` measured.

        Returns:
            The speeds.

        Raises:
            SpecError: If the text is no such profile.
        """
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SpecError(f"the profile is not JSON ({error}); measure the devices again") from error
        if isinstance(found, dict) and found.get("type") == "Profile":
            profile = from_json(text)
            assert isinstance(profile, Profile), "its type says so"
            return cls.from_profile(profile)
        if not isinstance(found, dict) or not isinstance(found.get("devices"), dict):
            raise SpecError('the profile has no "devices"; give {"unit": "samples/s", "devices": {"V100": {...}}}')
        unit = found.get("unit")
        if unit not in UNITS:
            raise SpecError(f'the profile\'s unit={unit!r} is unknown; write "unit": "samples/s" or "seconds"')
        unknown = sorted(set(found) - {"unit", "devices", "communication_seconds"})
        if unknown:
            raise SpecError(f"the profile has unknown entries {unknown}; it has unit, devices, communication_seconds")
        kinds = tuple(_speed(kind, values, unit) for kind, values in found["devices"].items())
        return cls(kinds, found.get("communication_seconds"))

    @classmethod
    def from_profile(cls, profile: Profile) -> Self:
        """Take what `vfnb.profile` measured here, merged with what it measured elsewhere.

        A pass is alone in its block, as under the rule "equal" with no more nodes than blocks.

        Args:
            profile: Of one task on some kinds of devices.

        Returns:
            The speeds; communication was not measured.
        """
        return cls(tuple(Speed(kind, one.alone) for kind, one in profile.kinds.items()))

    def of(self, kind: str) -> Speed:
        """Find a kind's measurement.

        Args:
            kind: The kind, as the profile writes it.

        Returns:
            The measurement.

        Raises:
            SpecError: If it was not measured.
        """
        for speed in self.kinds:
            if speed.kind == kind:
                return speed
        known = ", ".join(speed.kind for speed in self.kinds)
        raise SpecError(
            f"there is no profile of {kind!r}, only of {known}; "
            f"measure a {kind} (one pass at a few batch sizes) and add it to the file"
        )


def _speed(kind: str, values: Any, unit: str) -> Speed:
    if not isinstance(values, Mapping) or not values:
        raise SpecError(f"{kind} has no measurements; give it pairs such as " + '{"192": 1131.4, "256": 1169.8}')
    return Speed(kind, tuple(_point(kind, batch, value, unit) for batch, value in values.items()))


def _point(kind: str, batch: str, value: Any, unit: str) -> tuple[int, float]:
    if not (batch.isascii() and batch.isdigit() and int(batch) > 0):
        raise SpecError(f"{kind}'s batch {batch!r} is no number of samples; give a whole number of at least 1")
    _check_positive(f"{kind}'s {unit} at {batch} samples a pass", value)
    return int(batch), float(value) if unit == "seconds" else int(batch) / value


def _check_positive(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value <= 0:
        raise SpecError(f"{name} is {value!r}; give a number above 0 as it was measured")
