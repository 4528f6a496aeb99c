"""How long one device computes a pass, between two software stacks.

An operator takes as long as its arithmetic or its memory traffic, whichever is longer. What the same device reaches
differs between stacks by a factor of 1.6 to 2.5 (one V100 trains ResNet-50 at 833, 1,200 and 1,356 images a second in
three publications), so there are two of them and a prediction is a range.
"""

from dataclasses import dataclass

from vfnb.ground import SpecError
from vfnb.planning.target.workload import LOW, Precision, Workload
from vfnb.spec import Accelerator

# Of the sheet's rate, what the best matrix product reaches where nobody measured it: 0.80 to 0.87 on A100, H100 and
# B200 (ml-engineering); plain fp32 arithmetic comes closer.
_ROOF, _ROOF_FP32 = 0.85, 0.93
_RATES: dict[Precision, str] = {
    "fp32": "fp32_tflops",
    "tf32": "tf32_tflops",
    "fp16": "fp16_bf16_tflops",
    "bf16": "fp16_bf16_tflops",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """How well software uses a device.

    Attributes:
        roof: Share of the best measured product that a model's products reach.
        bandwidth: Share of the sheet's memory bandwidth; a copy was measured at 0.68 to 0.85 (Habitat's device table).
        unfused: Share of the traffic outside products that fusing leaves: a chain of operators that each read and
            write once keeps its first read and last write.
        launch_s: Seconds that starting an operator costs: a captured graph, or Python and its dispatcher.
        updates: Times that the optimizer goes through its tensors.
        overlaps: Whether gradients are summed while the backward pass still computes.
    """

    roof: float
    bandwidth: float
    unfused: float
    launch_s: float
    updates: float
    overlaps: bool


# Round numbers, for all models and devices alike: software tuned to its device with fusing that halves what fusing can
# take away, and a plain framework that reaches half of everything.
TUNED = Stack(roof=0.95, bandwidth=0.85, unfused=0.5, launch_s=2e-6, updates=1.0, overlaps=True)
PLAIN = Stack(roof=0.5, bandwidth=0.5, unfused=1.0, launch_s=8e-6, updates=1.5, overlaps=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Roof:
    """What a device reaches at best.

    Attributes:
        flops_per_s: Of its best matrix product.
        bytes_per_s: Of its memory.
    """

    flops_per_s: float
    bytes_per_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Computing:
    """One device's time in a step.

    Attributes:
        batch_s: Seconds that grow with the batch.
        fixed_s: Seconds whatever the batch: starting operators, the optimizer.
    """

    batch_s: float
    fixed_s: float

    @property
    def seconds(self) -> float:
        """Both together."""
        return self.batch_s + self.fixed_s


def computing(workload: Workload, row: Accelerator, batch: float, stack: Stack) -> Computing:
    """Predict one device's computing in a step.

    Args:
        workload: What a pass asks.
        row: The device.
        batch: Its samples.
        stack: Its software.

    Returns:
        The time.
    """
    return computing_under(roof_of(row, workload.precision), workload, batch, stack)


def computing_under(roof: Roof, workload: Workload, batch: float, stack: Stack, widened: float = 1.0) -> Computing:
    """Predict a device's computing from what it reaches.

    Args:
        roof: What that is.
        workload: What a pass asks.
        batch: Its samples.
        stack: Its software.
        widened: Times that its traffic is larger than was counted, where it computes in wider numbers.

    Returns:
        The time.
    """
    rate, bandwidth = roof.flops_per_s * stack.roof, roof.bytes_per_s * stack.bandwidth
    products = sum(
        one.times * max(one.flops * batch / rate, widened * (one.sample_bytes * batch + one.once_bytes) / bandwidth)
        for one in workload.products
    )
    others = widened * stack.unfused * workload.other_bytes * batch / bandwidth
    # The update reads gradient, weight and states, and writes the latter two back.
    update = workload.parameters * (12 + 2 * workload.state_bytes) * stack.updates / bandwidth
    return Computing(batch_s=products + others, fixed_s=workload.kernels * stack.launch_s + update)


def precision_for(row: Accelerator, asked: str | None) -> tuple[Precision, str]:
    """Choose what a run on a device is computed in.

    Args:
        row: The device.
        asked: "fp32", "tf32", "fp16" or "bf16"; "no", as torch says, is "fp32"; None takes what is usual.

    Returns:
        The precision, or the nearest that the device has, and a remark; "" where it is what was asked for.

    Raises:
        SpecError: If there is no such precision.
    """
    if asked is None:
        usual = usual_precision(row)
        return usual, f"{usual} assumed, as {row.name} is usually trained"
    wanted = "fp32" if asked == "no" else asked
    if wanted not in _RATES:
        raise SpecError(f"precision={asked!r} is unknown; give one of {', '.join(_RATES)}")
    if wanted == "bf16" and row.bf16_hardware == "no":
        nearest = usual_precision(row)
        return nearest, f"{row.name} has no bf16; {nearest} assumed"
    if wanted != "fp32" and getattr(row, _RATES[wanted]) is None:
        return "fp32", f"{row.name} has no faster {wanted}; fp32 assumed"
    if wanted == "fp32" and row.fp32_tflops is None:
        return "fp32", f"{row.name} multiplies fp32 numbers at its rate of bf16"
    return wanted, ""


def usual_precision(row: Accelerator) -> Precision:
    """Say what a device is usually trained in.

    Args:
        row: The device.

    Returns:
        bf16 where it is native, fp16 where there are tensor cores for it, else fp32.
    """
    low, full = row.fp16_bf16_tflops, row.fp32_tflops
    if low is None:
        return "fp32"
    if row.bf16_hardware == "yes":
        return "bf16"
    # Twice the plain rate is packed arithmetic and no tensor core: few trained in it.
    return "fp16" if full is not None and low > 2.5 * full else "fp32"


def roof_of(row: Accelerator, precision: Precision) -> Roof:
    """Give what a device of the catalogue reaches.

    Args:
        row: The device.
        precision: The precision.

    Returns:
        Its roof; a SpecError where the catalogue has no figure.
    """
    return Roof(flops_per_s=roof_flops_per_s(row, precision), bytes_per_s=bandwidth_bytes_per_s(row))


def roof_flops_per_s(row: Accelerator, precision: Precision) -> float:
    """Give the rate of a device's best matrix product.

    Args:
        row: The device.
        precision: The precision.

    Returns:
        Operations a second.

    Raises:
        SpecError: If the catalogue has no rate.
    """
    if precision in LOW and row.matmul_tflops is not None:
        return row.matmul_tflops * 1e12
    full = row.fp32_tflops
    rate = getattr(row, _RATES[precision]) or full or row.fp16_bf16_tflops
    if rate is None:
        raise SpecError(f"the catalogue has no rate of {row.name}; choose another accelerator")
    return float(rate) * 1e12 * (_ROOF_FP32 if rate == full else _ROOF)


def bandwidth_bytes_per_s(row: Accelerator) -> float:
    """Give a device's memory bandwidth.

    Args:
        row: The device.

    Returns:
        Bytes a second, as the sheet says.

    Raises:
        SpecError: If the catalogue has none.
    """
    if row.memory_gb_per_s is None:
        raise SpecError(f"the catalogue has no memory bandwidth of {row.name}; choose another accelerator")
    return row.memory_gb_per_s * 1e9
