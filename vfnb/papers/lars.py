"""LARS (You, Gitman and Ginsburg, arXiv 1708.03888), taken from the package pytorch_optimizer."""

from collections.abc import Callable
from functools import partial

from torch.optim import Optimizer

from vfnb.papers.optional import needed


def lars(
    lr: float = 1.0, *, momentum: float = 0.9, weight_decay: float = 5e-4, trust: float = 0.02
) -> Callable[..., Optimizer]:
    """Make LARS, as `vfnb.Task(optimizer=...)` takes it.

    Matrices move by lr times trust |w| / (|g| + weight_decay |w|), inside the momentum. Biases and norms move by plain
    momentum SGD at `lr` itself, so keep `lr` near 1 and scale by `trust`: `lr=20, trust=0.001` moves matrices alike
    and throws biases away.

    Args:
        lr: The rate.
        momentum: The momentum.
        weight_decay: Of matrices.
        trust: The paper's eta.

    Returns:
        A function of the parameters.
    """
    package = needed("pytorch_optimizer", "LARS is taken", "'vfnb[papers]'")
    made: Callable[..., Optimizer] = partial(
        package.LARS, lr=lr, momentum=momentum, weight_decay=weight_decay, trust_coefficient=trust
    )
    return made
