"""Published large-batch experiments: recipes that run here, and the optimizers, schedules and data they need."""

from vfnb.papers.lamb import Lamb, matrices_and_rest
from vfnb.papers.lars import lars
from vfnb.papers.rates import linear_rate, sqrt_rate
from vfnb.papers.schedules import Schedule, warmup_constant, warmup_cosine, warmup_polynomial, warmup_step

__all__ = [
    "Lamb",
    "Schedule",
    "lars",
    "linear_rate",
    "matrices_and_rest",
    "sqrt_rate",
    "warmup_constant",
    "warmup_cosine",
    "warmup_polynomial",
    "warmup_step",
]
