"""Counting what one training pass does, operator by operator, without its device.

The pass runs on fake tensors, which have shapes and no values; where a model needs values it runs on the CPU. Every
operator below autograd is seen, forward and backward, and what autograd keeps is seen by its hooks.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorMode,
    UnsupportedFakeTensorException,
    UnsupportedOperatorException,
)
from torch.nn import functional as F
from torch.nn.utils.stateless import _reparametrize_module
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only
from torch.utils.flop_counter import flop_registry, sdpa_backward_flop_count, sdpa_flop_count

from vfnb.numerics import restored_generators
from vfnb.runtime.forward import autocast, weighed
from vfnb.runtime.program import Batch
from vfnb.spec import Weighted

Loss = Callable[[nn.Module, Batch], "Tensor | Weighted"]

_NEEDS_VALUES = (
    DataDependentOutputException,
    DynamicOutputShapeException,
    UnsupportedFakeTensorException,
    UnsupportedOperatorException,
)
# Parts of the names of operators that multiply: one that torch has no count for is named, not passed over.
_HEAVY = ("rnn", "lstm", "gru", "attention", "conv", "mm", "fft", "flex", "bilinear", "cdist")


@dataclass(slots=True)
class Counts:
    """What was seen in one pass of a batch.

    Attributes:
        products: Matrix products and convolutions in the order they ran, as (operations, bytes read and written).
        other_bytes: What all other operators read and wrote.
        kernels: How many operators ran.
        kept_bytes: What autograd kept for the backward pass, beside parameters and buffers.
        working_bytes: The most that one operator read and wrote.
        uncounted: Operators that multiply and have no count.
        needs_values: The operator that fake tensors could not run; "" where they ran the whole pass.
    """

    products: list[tuple[float, float]] = field(default_factory=list)
    other_bytes: float = 0.0
    kernels: int = 0
    kept_bytes: float = 0.0
    working_bytes: float = 0.0
    uncounted: set[str] = field(default_factory=set)
    needs_values: str = ""


def count(model: nn.Module, loss: Loss, batch: Batch, *, samples: int, precision: str) -> Counts:
    """Count one forward and backward pass.

    Args:
        model: On the CPU; its values and gradients stay as they are.
        loss: Of model and batch.
        batch: On the CPU.
        samples: How many samples the batch has.
        precision: "no", "bf16" or "fp16", as torch's autocast takes it.

    Returns:
        What was seen.
    """
    with restored_generators():
        try:
            return _on_fakes(model, loss, batch, samples, precision)
        except Exception as error:  # noqa: BLE001  # a user's own mistake comes again, with values, as it is
            # Some models catch what fake tensors raise and raise their own; values settle it either way.
            counts = _on_values(model, loss, batch, samples, precision)
            counts.needs_values = _operator_of(error)
            return counts


def _on_fakes(model: nn.Module, loss: Loss, batch: Batch, samples: int, precision: str) -> Counts:
    fakes = FakeTensorMode(allow_non_fake_inputs=True)
    tensors = {name: fakes.from_tensor(one) for name, one in _tensors(model).items()}
    faked = tree_map_only(Tensor, fakes.from_tensor, batch)
    with _quiet(), fakes:
        return _counted(model, tensors, lambda: loss(model, faked), samples, precision)


def _on_values(model: nn.Module, loss: Loss, batch: Batch, samples: int, precision: str) -> Counts:
    tensors = {name: one.detach().clone().requires_grad_(one.requires_grad) for name, one in _tensors(model).items()}
    return _counted(model, tensors, lambda: loss(model, batch), samples, precision)


def _counted(
    model: nn.Module, tensors: Mapping[str, Tensor], run: Callable[[], Any], samples: int, precision: str
) -> Counts:
    counts = Counts()
    with ExitStack() as stack:
        stack.enter_context(_reparametrize_module(model, dict(tensors), tie_weights=True))
        stack.enter_context(torch.enable_grad())
        stack.enter_context(_no_fused_rnn())
        stack.enter_context(_FusedAttention())
        stack.enter_context(_Watching(counts))
        with autocast(torch.device("cpu"), precision), _keeping(counts, tensors.values()):
            value, _, _ = weighed(_unweighted(run()), samples)
        value.backward()
    return counts


def _unweighted(loss: "Tensor | Weighted") -> "Tensor | Weighted":
    """Leave a weight's value alone: fake tensors have none."""
    return cast("Tensor", loss.sum) if isinstance(loss, Weighted) else loss


def _tensors(model: nn.Module) -> dict[str, Tensor]:
    return {**dict(model.named_parameters()), **dict(model.named_buffers())}


@contextmanager
def _keeping(counts: Counts, known: Any) -> Iterator[None]:
    """Add up the storages that autograd keeps, each once, parameters and buffers left out."""
    seen = {_storage(one) for one in known}
    held = []

    def pack(tensor: Tensor) -> Tensor:
        if tensor.layout is torch.strided and (key := _storage(tensor)) not in seen:
            seen.add(key)
            held.append(tensor)  # a freed storage's address would be taken again
            counts.kept_bytes += tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        yield


def _storage(tensor: Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)  # noqa: SLF001  # torch's own key of a storage


@contextmanager
def _no_fused_rnn() -> Iterator[None]:
    """Switch oneDNN off, whose recurrent layers are one operator each; torch's public switch warns about TF32."""
    before = torch._C._get_mkldnn_enabled()  # noqa: SLF001  # see above
    torch._C._set_mkldnn_enabled(False)  # noqa: SLF001  # see above
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(before)  # noqa: SLF001  # see above


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep torch from logging what fake tensors could not run: it is run again, or raised."""
    log = logging.getLogger("torch._subclasses.fake_tensor")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(level)


class _FusedAttention(TorchFunctionMode):
    """Has attention with dropout counted as the fused kernel that GPUs have for it; the CPU's drops nothing."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        given = dict(kwargs or {})
        if func is F.scaled_dot_product_attention:
            given |= dict(zip(("query", "key", "value", "attn_mask", "dropout_p", "is_causal"), args, strict=False))
            return func(**given | {"dropout_p": 0.0})
        return func(*args, **given)


class _Watching(TorchDispatchMode):
    """Sees every operator below autograd."""

    def __init__(self, counts: Counts) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch's own class
        self._counts = counts

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        given = dict(kwargs or {})
        out = func(*args, **given)
        if not func.is_view and not _is_free(func):
            self._see(func, args, given, out)
        return out

    def _see(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> None:
        counts = self._counts
        moved = float(sum(map(_bytes, tree_leaves((args, kwargs, out)))))
        counts.kernels += 1
        counts.working_bytes = max(counts.working_bytes, moved)
        flops = _flops(func, args, kwargs, out)
        if flops is not None:
            counts.products.append((float(flops), moved))
            return
        counts.other_bytes += moved
        name = str(func._overloadpacket)  # noqa: SLF001  # torch's registry of counts is keyed by it
        if not name.startswith(("aten.", "prim")) or any(part in name for part in _HEAVY):
            counts.uncounted.add(name)


def _is_free(func: Any) -> bool:
    """Tell what moves no data: questions about a tensor, and memory that is only reserved."""
    name = str(func)
    return func.namespace == "prim" or name.startswith(("aten.detach", "aten.empty", "aten._unsafe_view", "aten.lift"))


def _bytes(leaf: Any) -> int:
    return leaf.numel() * leaf.element_size() if isinstance(leaf, Tensor) and leaf.layout is torch.strided else 0


def _flops(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> float | None:
    """Count as torch does; and attention on the CPU, which torch counts as nothing."""
    formula = flop_registry.get(func._overloadpacket)  # noqa: SLF001  # as above
    if formula is not None:
        return float(formula(*args, **kwargs, out_val=out))
    aten = torch.ops.aten
    packet = func._overloadpacket  # noqa: SLF001  # as above
    if packet is aten._scaled_dot_product_flash_attention_for_cpu:  # noqa: SLF001  # torch's own name
        query, key, value = args[:3]
        return float(sdpa_flop_count(query.shape, key.shape, value.shape))
    if packet is aten._scaled_dot_product_flash_attention_for_cpu_backward:  # noqa: SLF001  # torch's own name
        gradient, query, key, value = args[:4]
        return float(sdpa_backward_flop_count(gradient.shape, query.shape, key.shape, value.shape))
    return None


def _operator_of(error: Exception) -> str:
    """Name the operator that needs values, or what was said instead."""
    for one in (error, error.__cause__, error.__context__):
        if isinstance(one, _NEEDS_VALUES) and one.args:
            func = getattr(one, "func", None) or one.args[0]
            return str(func).splitlines()[0]
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}".rstrip(": ")
