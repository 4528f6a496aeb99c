"""LAMB as its paper writes it (You et al., arXiv 1904.00962, algorithm 2, fifth version)."""

from collections.abc import Callable, Iterable
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from vfnb.ground import SpecError


class Lamb(Optimizer):
    """Adam's step with bias correction, rescaled in each tensor to the length of its weights.

    For each tensor x with Adam's step r: x <- x - lr |x| / |r + weight_decay x| (r + weight_decay x). Lengths are not
    bounded and the gradient is not clipped; packages do one or both (docs/papers.md).

    Args:
        params: Parameters, or groups of them; a group with `adapt=False` is not rescaled, as the authors do for biases
            and norms.
        lr: The rate.
        betas: How slowly the means of gradient and square forget.
        eps: Added to the root.
        weight_decay: Inside the length, as in the paper.
        adapt: Whether a tensor is rescaled.

    Raises:
        SpecError: If a number is not possible.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.01,
        adapt: bool = True,
    ) -> None:
        for name, value in (("lr", lr), ("eps", eps), ("weight_decay", weight_decay)):
            if not value >= 0:
                raise SpecError(f"{name}={value} is not possible; give 0 or more")
        if not all(0 <= beta < 1 for beta in betas):
            raise SpecError(f"betas={betas} are not possible; give two numbers from 0 to below 1")
        super().__init__(
            params, {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay, "adapt": adapt}
        )

    @torch.no_grad()
    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor | None:  # type: ignore[override]
        """Take a step.

        Args:
            closure: Computes the loss anew, or None.

        Returns:
            The closure's loss.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for weights in group["params"]:
                if weights.grad is not None:
                    self._step(weights, weights.grad, group)
        return loss

    def _step(self, weights: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        state = self.state[weights]
        if not state:
            state |= {"step": 0, "mean": torch.zeros_like(weights), "square": torch.zeros_like(weights)}
        state["step"] += 1
        (beta1, beta2), mean, square = group["betas"], state["mean"], state["square"]
        mean.mul_(beta1).add_(gradient, alpha=1 - beta1)
        square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        root = (square / (1 - beta2 ** state["step"])).sqrt_().add_(group["eps"])
        update = (mean / (1 - beta1 ** state["step"])).div_(root).add_(weights, alpha=group["weight_decay"])
        if group["adapt"]:
            length, of_update = torch.linalg.vector_norm(weights), torch.linalg.vector_norm(update)
            # A tensor that is zero could never move otherwise.
            update.mul_(torch.where((length > 0) & (of_update > 0), length / of_update, 1.0))
        weights.sub_(update, alpha=group["lr"])


def matrices_and_rest(model: nn.Module, **rest: Any) -> list[dict[str, Any]]:
    """Part a model's parameters into matrices (and filters), and biases and norms.

    Args:
        model: The model.
        **rest: What the second group has of its own, such as `weight_decay=0.0, adapt=False`.

    Returns:
        Two groups for an optimizer.
    """
    trained = [one for one in model.parameters() if one.requires_grad]
    return [
        {"params": [one for one in trained if one.ndim > 1]},
        cast("dict[str, Any]", {"params": [one for one in trained if one.ndim <= 1], **rest}),
    ]
