"""The estimate of a run on its target, as a record, as people read it, and as JSON."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Any

from vfnb.ground import face
from vfnb.planning.target.bill import Bill, Length
from vfnb.planning.target.memory import GIB, Memory
from vfnb.planning.target.steptime import Range
from vfnb.planning.target.workload import Workload
from vfnb.spec import VirtualCluster

_LETTERS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_WHOLE_USD = 100
_UNITS = ((86_400.0, "d"), (3_600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "us"))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Estimate:
    """What a run on its target would take; an estimate, not a promise.

    Attributes:
        model: What is trained.
        target: The cluster; it counts in `unit`.
        unit: What one device of the target is: "chip", "GPU", ...
        precision: What products are computed in: "fp32", "tf32", "fp16" or "bf16".
        parameters: Trainable numbers of the model.
        flops_per_sample: Operations of training on one sample, forward and backward; a multiply-add is 2.
        batch_per_device: Samples a device.
        memory: Whether that fits, in bytes, with the table behind it.
        step_seconds: A step, as a range.
        measured: What narrowed the range; empty where nothing was measured.
        network: How gradients are summed, in words.
        bill: The whole run; None where its length is not known.
        workload: What a pass of the model asks of a device.
        length: Of the run; None where it is not known.
        here: What this machine's devices of the best kind hold, by device, one virtual node a pass.
        here_step_seconds: A step on all of them; None where nothing is known of their speed.
        here_basis: Where that comes from, in words.
        remarks: What was assumed or left out, a sentence each.
    """

    model: str
    target: VirtualCluster
    unit: str
    precision: str
    parameters: int
    flops_per_sample: float
    batch_per_device: int
    memory: Memory
    step_seconds: Range
    measured: tuple[tuple[VirtualCluster, float], ...]
    network: str
    bill: Bill | None
    workload: Workload = field(repr=False)
    length: Length | None = None
    here: tuple[tuple[str, Memory], ...] = ()
    here_step_seconds: Range | None = None
    here_basis: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def samples_per_second(self) -> Range:
        """The whole target's rate."""
        step, batch = self.step_seconds, self.target.global_batch
        return Range(low=batch / step.high, mid=batch / step.mid, high=batch / step.low)

    @property
    def run_seconds(self) -> Range | None:
        """The whole run, evaluation included; None where its length is not known."""
        return None if self.bill is None else self.bill.run_seconds

    @property
    def here_run_seconds(self) -> Range | None:
        """The whole run on this machine; None where its length or a step's time is not known."""
        if self.length is None or self.here_step_seconds is None:
            return None
        return self.length.seconds(self.here_step_seconds, self.target.global_batch)

    @property
    def price_usd(self) -> Range | None:
        """The whole run on all devices; None where its length or a price is not known."""
        return None if self.bill is None else self.bill.price_usd

    @property
    def energy_kwh(self) -> Range | None:
        """The whole run on all devices at their design power; None where that is not known."""
        return None if self.bill is None else self.bill.energy_kwh

    def chart(self, *accelerators: str) -> Any:
        """Draw the time to train against the number of devices, with where a device's share of the batch fits.

        Args:
            *accelerators: Beside the target's; without any a few that are well known.

        Returns:
            A plotly figure.
        """
        return face("chart")(self, accelerators)

    def __repr__(self) -> str:
        return text(self)

    def _repr_html_(self) -> str:
        return html(self)


def text(estimate: Estimate) -> str:
    """Write an estimate for a terminal.

    Args:
        estimate: The estimate.

    Returns:
        Lines.
    """
    rows = list(_rows(estimate))
    width = max(len(head) for head, _ in rows)
    lines = [f"{head:<{width}}  {said}" for head, said in rows]
    return "\n".join([*lines, *(f"- {one}" for one in _remarks(estimate))])


def html(estimate: Estimate) -> str:
    """Write an estimate for a notebook.

    Args:
        estimate: The estimate.

    Returns:
        HTML that needs no script.
    """
    cell = 'style="text-align:left"'
    rows = "".join(
        f"<tr><th {cell}>{escape(head)}</th><td {cell}>{escape(said)}</td></tr>" for head, said in _rows(estimate)
    )
    table = "".join(
        f'<tr><td {cell}>{escape(name)}</td><td style="text-align:right">{_gib(size)}</td></tr>'
        for name, size in estimate.memory.table
    )
    remarks = "".join(f"<li>{escape(one)}</li>" for one in _remarks(estimate))
    return (
        f"<table>{rows}</table><details><summary>memory a device</summary><table>{table}</table></details>"
        f"<ul>{remarks}</ul>"
    )


def plain(estimate: Estimate) -> dict[str, Any]:
    """Write an estimate as what JSON holds; every key names its unit where it has one.

    Args:
        estimate: The estimate.

    Returns:
        Numbers and words.
    """
    bill, target = estimate.bill, estimate.target
    return {
        "model": estimate.model,
        "target": {"accelerator": target.accelerator, "count": target.count, "unit": estimate.unit},
        "global_batch": target.global_batch,
        "batch_per_device": estimate.batch_per_device,
        "precision": estimate.precision,
        "parameters": estimate.parameters,
        "flops_per_sample": estimate.flops_per_sample,
        "step_seconds": _range(estimate.step_seconds),
        "samples_per_second": _range(estimate.samples_per_second),
        "memory": _memory(estimate.memory),
        "here": {device: _memory(memory) for device, memory in estimate.here},
        "here_step_seconds": _range(estimate.here_step_seconds),
        "here_run_seconds": _range(estimate.here_run_seconds),
        "network": estimate.network,
        "measured": [{"target": str(at), "step_seconds": seconds} for at, seconds in estimate.measured],
        "steps": None if bill is None else bill.steps,
        "run_seconds": _range(estimate.run_seconds),
        "price_usd": None if estimate.price_usd is None else estimate.price_usd.mid,
        "price_usd_range": _range(estimate.price_usd),
        "price_basis": None if bill is None else bill.price_basis,
        "energy_kwh": _range(estimate.energy_kwh),
        "remarks": list(_remarks(estimate)),
    }


def duration(seconds: float) -> str:
    """Write seconds in the unit that suits them.

    Args:
        seconds: 0 or more.

    Returns:
        Such as "25.3 ms" or "1.27 h".
    """
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= size), _UNITS[-1])
    return f"{seconds / size:.3g} {unit}"


def _rows(estimate: Estimate) -> Iterator[tuple[str, str]]:
    yield "target", f"{estimate.target} ({_counted(estimate)})"
    yield "model", f"{estimate.model}: {estimate.parameters:,} parameters, {estimate.precision}"
    yield "work", f"{_scaled(estimate.flops_per_sample)}FLOP a sample, forward and backward"
    yield "memory", f"{_verdict(estimate.memory)} at {estimate.batch_per_device:,} samples a {estimate.unit}"
    yield "time a step", _spanned(estimate.step_seconds, duration)
    yield "rate", _spanned(estimate.samples_per_second, lambda rate: f"{rate:,.0f} samples/s")
    bill = estimate.bill
    if bill is not None:
        yield "run", f"{bill.steps:,} steps ({bill.basis}): {_spanned(bill.run_seconds, duration)}"
        cost = "not known" if bill.price_usd is None else _spanned(bill.price_usd, _usd)
        yield "price", f"{cost}; {bill.price_basis}"
        if bill.energy_kwh is not None:
            yield "energy", _spanned(bill.energy_kwh, lambda kwh: f"{kwh:,.3g} kWh") + " at design power"
    yield "network", estimate.network
    yield from _rows_here(estimate)


def _rows_here(estimate: Estimate) -> Iterator[tuple[str, str]]:
    for device, memory in estimate.here:
        yield f"here, memory of {device}", f"{_verdict(memory)}, one virtual node a pass"
    if estimate.here_step_seconds is not None:
        yield "here, time a step", f"{_spanned(estimate.here_step_seconds, duration)}, {estimate.here_basis}"
    elif estimate.here_basis:
        yield "here, time a step", estimate.here_basis
    if estimate.here_run_seconds is not None:
        yield "here, run", _spanned(estimate.here_run_seconds, duration)


def _counted(estimate: Estimate) -> str:
    return f"{estimate.unit}s" if estimate.target.count > 1 else f"one {estimate.unit}"


def _verdict(memory: Memory) -> str:
    said = f"{memory.verdict}: {_gib(memory.bytes)} of {_gib(memory.device_bytes)} GiB"
    return f"{said}, at most {memory.largest_batch:,} samples" if memory.largest_batch else said


def _scaled(number: float) -> str:
    size, letter = next(((size, letter) for size, letter in _LETTERS if number >= size), (1.0, ""))
    return f"{number / size:,.4g} {letter}"


def _usd(amount: float) -> str:
    return f"{amount:,.0f} USD" if amount >= _WHOLE_USD else f"{amount:,.2f} USD"


def _gib(size: float) -> str:
    return f"{size / GIB:,.1f}"


def _spanned(span: Range, write: Callable[[float], str]) -> str:
    return f"{write(span.mid)} ({write(span.low)} to {write(span.high)})"


def _range(span: Range | None) -> dict[str, float] | None:
    return None if span is None else {"low": span.low, "mid": span.mid, "high": span.high}


def _memory(memory: Memory) -> dict[str, Any]:
    return {
        "verdict": memory.verdict,
        "bytes": memory.bytes,
        "device_bytes": memory.device_bytes,
        "largest_batch": memory.largest_batch,
        "table": dict(memory.table),
    }


def _remarks(estimate: Estimate) -> tuple[str, ...]:
    at = ", ".join(f"{duration(seconds)} on {cluster}" for cluster, seconds in estimate.measured)
    based = (
        f"the time is scaled from a measured step: {at}"
        if at
        else ("nothing was measured: the range spans well-tuned and plain software; one measured step narrows it")
    )
    return (based, *estimate.remarks, *estimate.memory.remarks)
