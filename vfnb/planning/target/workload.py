"""What one training pass of a model asks of a device: its products, its memory traffic, what it keeps."""

from dataclasses import dataclass
from typing import Literal

Precision = Literal["fp32", "tf32", "fp16", "bf16"]
LOW: tuple[Precision, ...] = ("fp16", "bf16")  # mixed: weights stay fp32, products and what is kept are 16-bit


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A matrix product or convolution, alike ones counted together.

    Attributes:
        flops: Operations for one sample; a multiply-add is 2.
        sample_bytes: What it reads and writes for one sample.
        once_bytes: What it reads or writes once a pass, whatever the batch: weights and their gradients.
        times: How many of them a pass has.
    """

    flops: float
    sample_bytes: float
    once_bytes: float = 0.0
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A model's training pass, forward and backward, in one precision.

    Attributes:
        name: The model.
        precision: What products are computed in.
        parameters: Trainable numbers.
        products: Matrix products and convolutions.
        other_bytes: What all other operators read and write for one sample, each on its own.
        kernels: Operators that a pass starts.
        kept_bytes: What a sample keeps for the backward pass.
        kept_once_bytes: What a pass keeps whatever the batch, beside the weights.
        working_bytes: What a sample's largest operator holds at once.
        state_bytes: The optimizer's state, for one parameter.
        usual_samples: Samples of a whole run as papers train the model; None where nothing is usual.
        remarks: What was assumed or could not be counted, a sentence each.
    """

    name: str
    precision: Precision
    parameters: int
    products: tuple[Product, ...]
    other_bytes: float
    kernels: int
    kept_bytes: float
    kept_once_bytes: float = 0.0
    working_bytes: float = 0.0
    state_bytes: float = 8.0
    usual_samples: int | None = None
    remarks: tuple[str, ...] = ()

    @property
    def flops_per_sample(self) -> float:
        """Operations of training on one sample, forward and backward; a multiply-add is 2."""
        return sum(one.flops * one.times for one in self.products)


def element_bytes(precision: Precision) -> int:
    """Give the bytes of a number that products read and write.

    Args:
        precision: The precision.

    Returns:
        2 or 4.
    """
    return 2 if precision in LOW else 4
