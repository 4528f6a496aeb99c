"""What vfnb adds to a step beyond the user's own work: samples, passes, optimizer.

In native mode that is the whole difference to the bare loop, and a line through two numbers of passes splits it
into a part a step and a part a pass.
"""

from collections.abc import Iterator
from statistics import median

from contenders import Baseline, Training
from figures import Figure

_PAIRS = 10
_FEW, _MANY = 16, 256


def figures() -> Iterator[Figure]:
    """Measure a small perceptron with few and with many passes."""
    few, many = _added(_FEW), _added(_MANY)
    a_pass = [(more - less) / (_MANY - _FEW) for less, more in zip(few, many, strict=True)]
    a_step = [less - _FEW * one for less, one in zip(few, a_pass, strict=True)]
    for what, values, factor, unit, bound in (
        ("vfnb adds to a step", a_step, 1e3, "ms", 1.0),
        ("vfnb adds to a pass", a_pass, 1e6, "microseconds", 60.0),
    ):
        found = sorted(value * factor for value in values)
        yield Figure(
            what=what,
            value=median(found),
            low=found[1],
            high=found[-2],
            unit=unit,
            bound=bound,
            sense="at most",
            note=f"native, a perceptron of 9,610 parameters, {_FEW} and {_MANY} passes a step",
        )


def _added(passes: int) -> list[float]:
    samples, steps = passes * 32 * 2, 2048 // passes
    added = []
    with (
        Baseline("bare", "perceptron", passes=passes, samples=samples) as bare,
        Training("perceptron", nodes=passes, samples=samples, reduction="native") as training,
    ):
        for _ in range(_PAIRS):
            plain = median(bare.steps(steps))
            added.append(median(training.steps(steps)) - plain)
    return added
