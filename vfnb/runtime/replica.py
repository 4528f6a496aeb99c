"""A replica: all that one worker holds of what is learned, and how it is captured and taken over whole.

Replicas are bitwise equal, so any of them is a full copy. Tied tensors are held, summed and saved once, by
identity.
"""

import copy
from typing import Any

import torch

from vfnb.ground import SpecError
from vfnb.numerics import Capacities, NoiseScale, slice_digest, unique_buffers, unique_parameters
from vfnb.runtime.buffers import Buffers
from vfnb.runtime.placement import seeding, torch_device
from vfnb.runtime.program import Program, private_copy
from vfnb.runtime.snapshot import State
from vfnb.runtime.sums import ExactSums, NativeSums, Sums
from vfnb.spec import Device

_INITIAL_SCALE = 2.0**16


class Replica:
    """The model on its device with everything that a step changes.

    Args:
        program: What is trained. Its model becomes this replica's: give each replica a program of its own.
        device: Where.

    Attributes:
        place: Where, as the user names it.
        seed_generators: Seeds every generator that a pass may draw from.
        step: The last committed step.
        evaluated: The last step after which the evaluation data were gone through.
        skips: How many steps in a row were skipped.
        weight_unit: The power of two that weights are divided by before the backward pass.
        best: The best value of the metric to keep, as (value, step).
        halvings: From which step on fewer virtual nodes were computed at once, and how many.
        kinds: Of the devices that took part so far.
    """

    def __init__(self, program: Program, device: Device) -> None:
        self.program, self.place = program, device
        self.device = torch_device(device)
        self.model = program.model.to(self.device)
        self.loss = program.loss.to(self.device) if isinstance(program.loss, torch.nn.Module) else program.loss
        self.seed_generators = seeding(self.device)
        self.parameters = unique_parameters(self.model)
        self.optimizer = program.optimizer(self.model)
        self.schedule = None if program.schedule is None else program.schedule(self.optimizer, program.steps)
        fp16 = program.options.precision == "fp16"
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=fp16, init_scale=_INITIAL_SCALE)
        self.scaler.scale(torch.zeros((), device=self.device))  # torch makes the scale itself on first use
        self.capacities = Capacities.new(len(self.parameters))
        self.buffers = Buffers(self.model, program.options.buffers, program.layout.blocks, self.device)
        self.sums = self._new_sums()
        self.buffer_capacities = Capacities.new(len(self.buffers.names))
        self.noise = NoiseScale()
        self.step = self.evaluated = self.skips = 0
        self.weight_unit = 1.0
        self.best: tuple[float, int] | None = None
        self.halvings = program.halvings
        self.kinds: tuple[str, ...] = ()

    @property
    def lr(self) -> float:
        """The learning rate of the first parameter group."""
        return float(self.optimizer.param_groups[0]["lr"])

    @property
    def nodes_per_pass(self) -> int:
        """Virtual nodes computed at once in the next step."""
        since = [nodes for step, nodes in self.halvings if step <= self.step + 1]
        return since[-1] if since else self.program.nodes_per_pass

    def compute_at_most(self, nodes: int) -> None:
        """Compute no more virtual nodes at once than these, from the next step on.

        Args:
            nodes: How many.
        """
        if nodes < self.nodes_per_pass:
            earlier = [one for one in self.halvings if one[0] <= self.step]
            later = [one for one in self.halvings if one[0] > self.step + 1 and one[1] < nodes]
            self.halvings = (*earlier, (self.step + 1, nodes), *later)

    def renew_sums(self) -> None:
        """Go on with sums in memory of their own."""
        self.sums = self._new_sums()
        self.buffers.renew_sum()

    def _new_sums(self) -> Sums:
        if self.program.options.reduction == "exact":
            return ExactSums(self.parameters, self.program.layout.blocks, self.device)
        return NativeSums(self.parameters)

    def clear_gradients(self) -> None:
        """Drop every gradient."""
        for one in self.parameters.values():
            one.grad = None

    def digest(self) -> float:
        """Digest a slice of what is learned, another slice each step: replicas that drift apart are noticed.

        Returns:
            An integer as a float.
        """
        tensors = [*self.parameters.values(), *optimizer_tensors(self.optimizer)]
        return slice_digest(tensors, self.step)

    def capture(self) -> State:
        """Give the whole state, by reference on the CPU.

        Returns:
            Tensors and plain values, as `load` takes them.
        """
        return {
            "step": self.step,
            "evaluated": self.evaluated,
            "skips": self.skips,
            "weight_unit": self.weight_unit,
            "best": self.best,
            "halvings": [list(one) for one in self.halvings],
            "kinds": list(self.kinds),
            **self.learned(),
            "capacities": self.capacities.state_dict(),
            "buffer_capacities": self.buffer_capacities.state_dict(),
            "noise": {"ema_s": self.noise.ema_s, "ema_g2": self.noise.ema_g2, "count": self.noise.count},
        }

    def learned(self) -> State:
        """Give the part of the state that an update changes, by reference on the CPU.

        Returns:
            Tensors and plain values, as `take_over` takes them.
        """
        return {
            "parameters": {name: _cpu(one) for name, one in self.model.named_parameters()},
            "buffers": {name: _cpu(one) for name, one in unique_buffers(self.model).items()},
            "optimizer": _optimizer_state(self.optimizer, _names(self.model)),
            "schedule": None if self.schedule is None else _plain(self.schedule.state_dict()),
            "scaler": self.scaler.state_dict(),
        }

    def take_over(self, learned: State) -> None:
        """Take over what another replica learned.

        Args:
            learned: What its `learned` gave, or a whole state.
        """
        load_into(self.model, learned)
        _load_optimizer(self.optimizer, learned["optimizer"], dict(self.model.named_parameters()))
        if self.schedule is not None:
            self.schedule.load_state_dict(learned["schedule"])
        if learned["scaler"]:
            self.scaler.load_state_dict(learned["scaler"])

    def load(self, state: State) -> None:
        """Take over a whole state.

        Args:
            state: What another replica captured, or a checkpoint's.
        """
        self.take_over(state)
        self.capacities = Capacities.from_state_dict(state["capacities"])
        self.buffer_capacities = Capacities.from_state_dict(state["buffer_capacities"])
        self.noise = NoiseScale(**state["noise"])
        self.step, self.evaluated, self.skips = state["step"], state["evaluated"], state["skips"]
        self.weight_unit = state["weight_unit"]
        self.best = None if state["best"] is None else tuple(state["best"])
        self.halvings = tuple((step, nodes) for step, nodes in state["halvings"])
        self.kinds = tuple(state.get("kinds", ()))  # checkpoints of the first days do not say


def initial_state(program: Program) -> State:
    """Give a program's state before its first step, leaving the program as it is.

    Args:
        program: The program.

    Returns:
        The state, on the CPU.
    """
    return Replica(private_copy(program), Device("cpu", 0)).capture()


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    """List the tensors that an optimizer keeps, in the order of its groups.

    Args:
        optimizer: Of a replica.

    Returns:
        Its slots, by reference.
    """
    return [
        value
        for group in optimizer.param_groups
        for parameter in group["params"]
        for value in optimizer.state.get(parameter, {}).values()
        if isinstance(value, torch.Tensor)
    ]


def load_into(model: torch.nn.Module, state: State) -> None:
    """Copy a state's parameters and buffers into a model.

    Args:
        model: Of the same architecture.
        state: The state.

    Raises:
        SpecError: If the model has other tensors than the state.
    """
    own = dict(model.named_parameters()) | unique_buffers(model)
    saved = {**state["parameters"], **state["buffers"]}
    if own.keys() != saved.keys():
        odd = sorted(own.keys() ^ saved.keys())
        raise SpecError(
            f"the state is another model's: {odd[0]!r} is in only one of them; give the model it was saved from"
        )
    with torch.no_grad():
        for name, tensor in own.items():
            tensor.copy_(saved[name])


def _cpu(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().cpu()


def _names(model: torch.nn.Module) -> dict[int, str]:
    return {id(parameter): name for name, parameter in model.named_parameters()}


def _optimizer_state(optimizer: torch.optim.Optimizer, names: dict[int, str]) -> dict[str, Any]:
    slots = {names[id(one)]: _plain(dict(values)) for one, values in optimizer.state.items()}
    groups = [
        {"params": [names[id(one)] for one in group["params"]]}
        | {key: _plain(value) for key, value in group.items() if key != "params"}
        for group in optimizer.param_groups
    ]
    return {"slots": slots, "groups": groups}


def _load_optimizer(optimizer: torch.optim.Optimizer, state: dict[str, Any], by_name: dict[str, torch.Tensor]) -> None:
    # Not load_state_dict: it casts slots to the parameter's type, and a replica must keep every bit.
    optimizer.state.clear()
    for group, saved in zip(optimizer.param_groups, state["groups"], strict=True):
        group.update({key: copy.deepcopy(value) for key, value in saved.items() if key != "params"})
        for name in saved["params"]:
            if name in state["slots"]:
                parameter = by_name[name]
                slots = state["slots"][name]
                optimizer.state[parameter] = {key: _slot(key, value, parameter, group) for key, value in slots.items()}


def _slot(key: str, value: Any, parameter: torch.Tensor, group: dict[str, Any]) -> Any:
    if not isinstance(value, torch.Tensor):
        return copy.deepcopy(value)
    # torch's own rule: step counts live on the host unless the kernels read them.
    on_host = key == "step" and not (group.get("capturable") or group.get("fused"))
    return value.clone() if on_host else value.to(parameter.device, copy=True)


def _plain(value: Any) -> Any:
    """Copy nested values into what torch's weights-only loader takes."""
    match value:
        case torch.Tensor():
            return _cpu(value)
        case dict():
            return {key: _plain(one) for key, one in value.items()}
        case list():
            return [_plain(one) for one in value]
        case tuple():
            return tuple(_plain(one) for one in value)
        case _:
            return value.item() if hasattr(value, "item") else value
