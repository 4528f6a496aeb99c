import pickle
from functools import partial
from typing import Any

import cloudpickle
import pytest
import torch
from session_doubles import Net, seeded_net
from torch import nn
from torch.optim import SGD, AdamW, Optimizer

from vfnb.ground import SpecError
from vfnb.session.optimizer import Copied, optimizer_of


def groups_of(optimizer: Optimizer, model: nn.Module) -> list[dict[str, Any]]:
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    return [
        {key: value for key, value in group.items() if key != "params"}
        | {"params": [names[id(parameter)] for parameter in group["params"]]}
        for group in optimizer.param_groups
    ]


@pytest.mark.parametrize("given", [SGD, partial(SGD, lr=0.1), partial(partial(SGD, lr=3.0), lr=0.1)])
def test_a_class_or_a_partial_of_one_gets_the_parameters(given: Any) -> None:
    model = seeded_net()

    made = optimizer_of(given, model)(model)

    assert isinstance(made, SGD)
    assert len(made.param_groups[0]["params"]) == len(list(model.parameters()))


def test_a_function_gets_the_model() -> None:
    model = seeded_net()

    made = optimizer_of(lambda net: AdamW([{"params": net.head.parameters(), "lr": 0.5}]), model)(model)

    assert groups_of(made, model)[0]["params"] == ["head.weight", "head.bias"]
    assert made.param_groups[0]["lr"] == 0.5


def test_a_partial_of_a_function_gets_the_model() -> None:
    def build(model: nn.Module, *, lr: float) -> Optimizer:
        return SGD(model.parameters(), lr=lr)

    model = seeded_net()

    assert optimizer_of(partial(build, lr=0.25), model)(model).param_groups[0]["lr"] == 0.25


@pytest.mark.parametrize("kind", [SGD, AdamW, torch.optim.Adam, torch.optim.RMSprop, torch.optim.Adagrad])
def test_an_optimizer_built_on_the_model_is_copied_with_groups_and_hyperparameters(kind: Any) -> None:
    model, other = seeded_net(), seeded_net(1)
    given = kind(
        [
            {"params": model.head.parameters(), "lr": 0.5, "weight_decay": 0.0},
            {"params": model.body.parameters()},
        ],
        lr=0.01,
        weight_decay=0.1,
    )

    made = optimizer_of(given, model)(other)

    assert type(made) is kind
    assert groups_of(made, other) == groups_of(given, model)


def test_named_parameters_are_copied_by_their_own_names() -> None:
    model, other = seeded_net(), seeded_net(1)

    made = optimizer_of(SGD(model.named_parameters(), lr=0.1), model)(other)

    assert made.param_groups[0]["params"][0] is next(other.parameters())


def test_a_tensor_learning_rate_is_copied_by_value() -> None:
    model = seeded_net()
    rate = torch.tensor(0.1)
    maker = optimizer_of(AdamW(model.parameters(), lr=rate), model)
    rate.fill_(9.0)

    first, second = maker(model), maker(model)

    assert float(first.param_groups[0]["lr"]) == pytest.approx(0.1)
    assert first.param_groups[0]["lr"] is not second.param_groups[0]["lr"]


def test_a_copied_optimizer_travels_without_the_users_model() -> None:
    model = nn.Linear(1000, 1000)

    text = cloudpickle.dumps(optimizer_of(SGD(model.parameters(), lr=0.1), model))

    assert len(text) < 10_000
    assert isinstance(pickle.loads(text), Copied)


def test_says_that_a_schedulers_and_steps_taken_are_not_copied() -> None:
    model = nn.Linear(2, 1)
    given = SGD(model.parameters(), lr=0.1, momentum=0.9)
    torch.optim.lr_scheduler.StepLR(given, 10)
    model(torch.ones(2)).backward()
    given.step()

    maker = optimizer_of(given, model)

    assert isinstance(maker, Copied)
    assert "schedule=" in maker.remarks[0]
    assert "taken steps" in maker.remarks[1]
    assert "initial_lr" not in maker(model).param_groups[0]


def test_refuses_an_optimizer_of_another_model() -> None:
    with pytest.raises(SpecError, match=r"SGD with 6 parameters that are not the model's; build it on the model"):
        optimizer_of(SGD(seeded_net().parameters(), lr=0.1), seeded_net())


def test_refuses_an_optimizer_instance_beside_a_factory() -> None:
    with pytest.raises(SpecError, match=r"built on one model, but model makes a new one for each job; give partial"):
        optimizer_of(SGD(seeded_net().parameters(), lr=0.1), Net)


def test_refuses_a_function_that_uses_the_users_own_model() -> None:
    outside = seeded_net()
    maker = optimizer_of(lambda _: SGD(outside.parameters(), lr=0.1), outside)

    with pytest.raises(SpecError, match="use the model that the function is called with"):
        maker(seeded_net())


def test_a_function_that_expects_parameters_is_told_that_it_gets_the_model() -> None:
    model = seeded_net()
    maker = optimizer_of(lambda parameters: SGD(parameters, lr=0.1), model)

    with pytest.raises(TypeError) as caught:
        maker(model)

    assert "called" in caught.value.__notes__[0] or "calls the function" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, r"optimizer is missing; give partial\(torch\.optim\.AdamW, lr=\.\.\.\)"),
        (0.1, "optimizer=0.1 makes no optimizer"),
        (torch.optim.LBFGS, "LBFGS calls the loss several times a step"),
        (partial(SGD, seeded_net().parameters()), "with parameters in it already"),
        (partial(SGD, params=[]), "with parameters in it already"),
    ],
)
def test_refuses_an_optimizer_and_says_what_to_give(given: Any, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        optimizer_of(given, seeded_net())


def test_refuses_a_closure_optimizer_in_every_form() -> None:
    model = seeded_net()

    with pytest.raises(SpecError, match="LBFGS"):
        optimizer_of(torch.optim.LBFGS(model.parameters()), model)
    with pytest.raises(SpecError, match="LBFGS"):
        optimizer_of(lambda net: torch.optim.LBFGS(net.parameters()), model)(model)


def test_refuses_a_function_that_makes_no_optimizer() -> None:
    model = seeded_net()

    with pytest.raises(SpecError, match=r"made a int, not a torch\.optim\.Optimizer"):
        optimizer_of(lambda _: 3, model)(model)


def test_refuses_a_class_that_cannot_be_made_again() -> None:
    class Wrapped(SGD):
        def __init__(self, params: Any, secret: object) -> None:
            super().__init__(params, lr=0.1)

    model = seeded_net()

    with pytest.raises(SpecError, match=r"a Wrapped cannot be made again.*secret"):
        optimizer_of(Wrapped(model.parameters(), object()), model)(model)
