"""A trial before any worker starts: one virtual node's pass in this process, on the CPU, twice; one evaluation batch.

It finds what would fail in every worker while the user's own traceback is at hand, and what would break the
promise: a pass that gives other bits when it is computed again.
"""

from collections.abc import Iterable

import torch

from vfnb.ground import SpecError
from vfnb.numerics import node_seed, restored_generators
from vfnb.runtime.coupling import coupling
from vfnb.runtime.evaluation import try_evaluation
from vfnb.runtime.forward import run_pass
from vfnb.runtime.program import Program, private_copy
from vfnb.runtime.refusals import check_dense
from vfnb.runtime.rehearsal import first_pass
from vfnb.runtime.replica import Replica
from vfnb.runtime.settings import deterministic, threads
from vfnb.spec import Device, Event, NotGuaranteed


def trial(program: Program) -> tuple[Event, ...]:
    """Compute virtual node 0's pass of step 1 twice, and one evaluation batch.

    Generators, flags and the program stay as they are.

    Args:
        program: What is to be trained.

    Returns:
        What was found that does not stand in the way: what breaks the promise.

    Raises:
        SpecError: For what cannot be trained, with the remedy.
    """
    _check_model(program)
    with restored_generators(), deterministic(), threads(program.options.threads):
        replica = Replica(private_copy(program), Device("cpu", 0))
        _check_schedule(replica)
        first = _pass(replica)
        second = _pass(replica)
        try_evaluation(replica)
    _check_coupling(program)
    events = list(_impure(first, second))
    if program.options.reduction == "native":
        reason = "native sums are equal up to rounding only"
        events.append(NotGuaranteed(step=0, what='reduction="native"', reason=reason))
    return tuple(events)


def _check_model(program: Program) -> None:
    trainable = [(name, one) for name, one in program.model.named_parameters() if one.requires_grad]
    if not trainable:
        raise SpecError("the model has no parameter with requires_grad=True; there is nothing to train")
    for name, one in trainable:
        if one.dtype not in (torch.float32, torch.bfloat16, torch.float16) and program.options.reduction == "exact":
            raise SpecError(
                f"parameter {name} is {one.dtype}; the exact sum takes float32, bfloat16 and float16: "
                'cast it with model.float(), or use Options(reduction="native")'
            )
    for name, module in program.model.named_modules():
        if isinstance(module, torch.nn.SyncBatchNorm):
            raise SpecError(f"{name} is a SyncBatchNorm, which needs a process group of its own; use BatchNorm")


def _check_coupling(program: Program) -> None:
    # "auto" asked before it chose.
    if program.nodes_per_pass == 1 or program.options.nodes_per_pass == "auto":
        return
    if (why := coupling(program)) is not None:
        raise SpecError(
            f"{why}: nodes_per_pass={program.nodes_per_pass} would change what is learned; use nodes_per_pass=1"
        )


def _check_schedule(replica: Replica) -> None:
    if isinstance(replica.schedule, torch.optim.lr_scheduler.ReduceLROnPlateau):
        raise SpecError("ReduceLROnPlateau steps on a metric; a schedule here is stepped once a step: use another one")


def _pass(replica: Replica) -> dict[str, torch.Tensor]:
    first, batch = first_pass(replica)
    replica.buffers.begin(replica.buffer_capacities)
    try:
        got = run_pass(replica, first, batch, seed=node_seed(replica.program.seed, 1, first.node), unit=1.0)
        found = _gradients(replica)
        found |= {f"buffer {name}": value.clone() for name, value in replica.model.named_buffers()}
        found["the loss"] = got.value
    finally:
        replica.buffers.restore()
        replica.clear_gradients()
    return found


def _gradients(replica: Replica) -> dict[str, torch.Tensor]:
    check_dense(replica.parameters)
    return {f"the gradient of {name}": one.grad for name, one in replica.parameters.items() if one.grad is not None}


def _impure(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> Iterable[Event]:
    for name, value in first.items():
        other = second.get(name)
        if other is None or not torch.equal(value.nan_to_num(), other.nan_to_num()):
            reason = (
                "virtual node 0's pass gave other bits when computed again; draw from torch's global generator only"
            )
            yield NotGuaranteed(step=0, what=name, reason=reason)
            return
