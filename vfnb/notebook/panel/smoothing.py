"""The thick line through a noisy one: a mean over the newest steps."""

import pandas as pd

from vfnb.notebook.panel.thinning import Numbers

_PART, _LEAST = 25, 5  # a window is a part of the run so far, and no less than a few steps


def window(steps: int) -> int:
    """Choose over how many steps to take the mean.

    Args:
        steps: Of the run so far.

    Returns:
        Some steps, more in a longer run.
    """
    return max(_LEAST, steps // _PART)


def smooth(y: Numbers, steps: int) -> Numbers:
    """Take the mean over a window that ends at each point; what is not finite counts nowhere.

    Args:
        y: A step each.
        steps: The window's length.

    Returns:
        As many means; nan where a window has nothing to take one of.
    """
    finite = pd.Series(y).where(pd.Series(y).abs() < float("inf"))
    return finite.rolling(steps, min_periods=1).mean().to_numpy()
