"""The plain large-batch loop as the yardstick: which samples each step has, and how near is near enough."""

import torch
from jobs import BATCH

from vfnb.numerics import Course, permutation


def orders(steps: int, samples: int, growth: tuple[tuple[int, int], ...] = ()) -> list[list[int]]:
    """List each step's sample indices, as a run of seed 0 draws them; its batch may grow at given steps."""
    found, course = [], Course(samples, BATCH, growth)
    for step in range(1, steps + 1):
        epoch, places = course.at(step)
        order = permutation(samples, 0, epoch)
        found.append([int(order[place]) for place in places])
    return found


def close(ours: torch.Tensor, theirs: torch.Tensor) -> bool:
    """Tell whether two tensors agree to 1e-6 of their norm."""
    scale = float(theirs.double().norm()) or 1.0
    return float((ours.double() - theirs.double()).norm()) <= 1e-6 * scale


def apart(ours: dict[str, torch.Tensor], theirs: dict[str, torch.Tensor]) -> list[str]:
    """Name the tensors of two models that do not agree."""
    return [name for name in theirs if not close(ours[name], theirs[name])]
