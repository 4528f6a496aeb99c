"""The grid that contributions are rounded to, so that their sum has no rounding left in it and no order.

With a step `q`, a power of two, and `M = 1.5 * 2^52 * q`, `(x + M) - M` in fp64 is the multiple of `q`
nearest to `x`, ties to even. Multiples of `q` add up exactly in fp64 while the sum stays below `2^53 q`
(pre-rounded summation, Demmel and Nguyen 2013), so any order, grouping and collective algorithm gives the
same bits.
"""

from collections.abc import Sequence
from math import frexp, inf, isfinite, ldexp

import torch
from torch import Tensor

UNTOUCHED = -1.0  # the "maximum" of a tensor without a gradient: it loses every MAX against a touched one
LARGEST_EXPONENT = 900  # far above any fp32; M stays finite in fp64


def step_exponent(capacity_exponent: int, contributions: int) -> int:
    """Give the exponent of the grid's step: `q = A * 2^(ceil(log2 n) - 51)`.

    Args:
        capacity_exponent: `A = 2^capacity_exponent` bounds every contribution.
        contributions: How many are added at most, `n`.

    Returns:
        `log2 q`.
    """
    assert contributions >= 1, f"a sum of {contributions} contributions has no grid"
    assert abs(capacity_exponent) <= LARGEST_EXPONENT, f"no grid for a capacity of 2^{capacity_exponent}"
    return capacity_exponent + (contributions - 1).bit_length() - 51


def grid_step(capacity_exponent: int, contributions: int) -> float:
    """Give the grid's step `q`.

    Law: `n` contributions of at most `A` sum exactly once rounded to multiples of `q`, and the sum is off
    by at most `n q / 2`.

    Args:
        capacity_exponent: `A = 2^capacity_exponent` bounds every contribution.
        contributions: How many are added at most, `n`.

    Returns:
        `q = A * 2^(ceil(log2 n) - 51)`, a power of two.
    """
    return ldexp(1.0, step_exponent(capacity_exponent, contributions))


def magic(step: float) -> float:
    """Give `M = 1.5 * 2^52 * q`: what is added and taken away to round to multiples of `q`."""
    return 1.5 * 2.0**52 * step


def round_to_grid(value: float, step: float) -> float:
    """Round a number of Python's to the nearest multiple of a grid's step, as the sums of tensors do."""
    M = magic(step)
    return (value + M) - M


def check_scale(scale: float) -> None:
    """Assert that multiplying by `scale` leaves a floating number's digits alone."""
    assert scale == 1.0 or frexp(scale)[0] == 0.5, f"a contribution's scale is a power of two, not {scale}"


def has_fp64(device: torch.device | str) -> bool:
    """Tell whether a device computes in fp64."""
    device = torch.device(device)
    match device.type:
        case "mps":
            return False
        case "xpu":
            return bool(torch.xpu.get_device_properties(device).has_fp64)
        case _:
            return True


def absmax(grad: Tensor) -> float:
    """Give the largest magnitude in a tensor.

    A NaN never comes out: gloo's MAX keeps or loses it depending on who brings it.

    Args:
        grad: Any floating tensor.

    Returns:
        The magnitude, 0 for an empty tensor, `inf` if any element is not finite.
    """
    if not grad.numel():
        return 0.0
    low, high = torch.aminmax(grad.detach())
    largest = max(-low.item(), high.item())
    return largest if isfinite(largest) else inf


def absmaxes(grads: Sequence[Tensor | None]) -> Tensor:
    """Give the largest magnitude of each of many tensors, without waiting for the device.

    Args:
        grads: `T` floating tensors on one device; None where a parameter has no gradient.

    Returns:
        `[T]` on their device, in the widest of their types: 0 for an empty tensor, `inf` where any element is
        not finite, `UNTOUCHED` (-1) for None. Elementwise maxima of such tensors keep all three meanings.
    """
    present = [index for index, grad in enumerate(grads) if grad is not None and grad.numel()]
    if len(present) == len(grads) and grads:
        return _magnitudes(grads)  # type: ignore[arg-type]
    values = [UNTOUCHED if grad is None else 0.0 for grad in grads]
    if not present:
        device = next((grad.device for grad in grads if grad is not None), torch.device("cpu"))
        return torch.tensor(values, dtype=torch.float32, device=device)
    found = _magnitudes([grads[index] for index in present])  # type: ignore[misc]
    answer = torch.tensor(values, dtype=found.dtype, device=found.device)
    answer[torch.tensor(present, device=found.device)] = found
    return answer


def _magnitudes(grads: Sequence[Tensor]) -> Tensor:
    pairs = [torch.aminmax(grad) for grad in grads]
    ends = torch.stack([end for pair in pairs for end in pair]).detach().view(-1, 2)
    largest = torch.maximum(-ends[:, 0], ends[:, 1])
    return torch.nan_to_num_(largest, nan=inf, posinf=inf, neginf=inf)
