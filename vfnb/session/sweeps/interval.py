"""The mean of a few runs and how sure it is: Student's 95 % interval."""

from collections.abc import Sequence
from math import exp, log, sqrt
from statistics import NormalDist, fmean, stdev
from typing import NamedTuple

_NEEDED = 3  # two values' interval is nine standard deviations to each side: it says nothing
# The 97.5 % points of Student's distribution with 1, 2, ... degrees of freedom.
_FEW = (12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.30600, 2.26216, 2.22814)


class Interval(NamedTuple):
    """A mean and its 95 % interval; nan where there is none."""

    mean: float
    low: float
    high: float


def interval(values: Sequence[float]) -> Interval:
    """Give the mean of independent values and Student's 95 % interval for it.

    Args:
        values: Finite.

    Returns:
        The mean and its interval, which fewer than three values do not have.
    """
    nan = float("nan")
    if not values:
        return Interval(nan, nan, nan)
    mean = fmean(values)
    if len(values) < _NEEDED:
        return Interval(mean, nan, nan)
    half = breadth(len(values)) * stdev(values)
    return Interval(mean, mean - half, mean + half)


def factor_interval(values: Sequence[float]) -> Interval:
    """Do the same on the values' logarithms, for what differs by factors: the interval stays above 0.

    Args:
        values: Finite, above 0.

    Returns:
        The geometric mean and its interval.
    """
    return Interval(*map(exp, interval([log(value) for value in values])))


def breadth(count: int) -> float:
    """Give half an interval's width in standard deviations of its values.

    Args:
        count: How many values.

    Returns:
        The factor; nan for fewer than three.
    """
    return _student(count - 1) / sqrt(count) if count >= _NEEDED else float("nan")


def _student(freedom: int) -> float:
    if freedom <= len(_FEW):
        return _FEW[freedom - 1]
    # Cornish and Fisher's expansion around the normal distribution's point: off by less than 2e-4 from here on.
    z = NormalDist().inv_cdf(0.975)
    first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3
