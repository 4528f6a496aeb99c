import json
from functools import partial
from typing import Any

import pytest
import torch
from session_doubles import CLUSTER, Net, pairs, seeded_net, small_task
from torch import nn
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader
from torchmetrics.classification import MulticlassAccuracy

from vfnb.ground import CheckpointError
from vfnb.session.blueprint import Blueprint, Length, draw
from vfnb.session.identity import Identity, identity_of
from vfnb.session.task import Task
from vfnb.spec import Options, VirtualCluster


def blueprint(task: Task | None = None, cluster: VirtualCluster = CLUSTER, **options: Any) -> Blueprint:
    length = Length(epochs=None, steps=5)
    return draw(task or small_task(), cluster, seed=3, length=length, options=Options(**options))


def identity(task: Task | None = None, kinds: tuple[str, ...] = ("cpu",), **options: Any) -> Identity:
    return identity_of(blueprint(task, **options), kinds)


def changed(**fields: Any) -> Identity:
    own = json.loads(identity().text)
    for path, value in fields.items():
        *parents, name = path.split("__")
        inner = own
        for parent in parents:
            inner = inner[parent]
        inner[name] = value
    return Identity(own)


def test_the_same_job_has_the_same_record() -> None:
    assert identity().text == identity().text
    assert identity().digest == identity().digest
    assert not any(vars_of(identity().against(identity())))


def vars_of(differences: Any) -> tuple[Any, ...]:
    return differences.refused, differences.warned, differences.noted


def test_reads_back_as_it_was_written() -> None:
    own = identity(blocks=2, precision="bf16", clip_norm=1.0)

    again = Identity.parse(own.text)

    assert again == own
    assert again.cluster == CLUSTER
    assert again.options == Options(blocks=2, precision="bf16", clip_norm=1.0)


def test_making_it_leaves_model_and_generators_alone() -> None:
    def freezing(model: Net) -> torch.optim.Optimizer:
        model.head.requires_grad_(requires_grad=False)
        torch.rand(3)
        return torch.optim.SGD(model.body.parameters(), lr=0.1)

    drawn = blueprint(small_task(optimizer=freezing))
    before = torch.get_rng_state()

    identity_of(drawn, ["cpu"])

    assert all(parameter.requires_grad for parameter in drawn.model.parameters())
    assert torch.equal(torch.get_rng_state(), before)


def one(samples: list[Any]) -> Any:
    return samples


def other(samples: list[Any]) -> Any:
    return samples[::-1]


DIFFERENT: dict[str, tuple[dict[str, Any], str]] = {
    "the model's form": ({"model": nn.Linear(3, 2)}, "model.name was session_doubles.Net, is torch.nn"),
    "dropout's rate": (
        {"model": nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5))},
        "model.architecture",
    ),
    "the data's length": ({"train": pairs(20)}, "data.length was 24, is 20 here"),
    "the data": ({"train": [(torch.zeros(3), 0)] * 24}, "data.samples was"),
    "the data's order": ({"train": DataLoader(pairs())}, "data.shuffle was True, is False here"),
    "the loss": ({"loss": nn.MSELoss()}, "loss.name was torch.nn.modules.loss.CrossEntropyLoss"),
    "a setting of the loss": (
        {"loss": nn.CrossEntropyLoss(label_smoothing=0.1)},
        "loss.settings.label_smoothing",
    ),
    "the classes' weights": ({"loss": nn.CrossEntropyLoss(weight=torch.ones(2))}, "loss.tensors was"),
    "the optimizer": ({"optimizer": torch.optim.AdamW}, "optimizer.name was torch.optim.sgd.SGD"),
    "a hyperparameter": (
        {"optimizer": partial(torch.optim.SGD, lr=0.2)},
        "optimizer.groups[0].lr was 0.1, is 0.2 here",
    ),
    "what is trained": (
        {"optimizer": lambda model: torch.optim.SGD(model.head.parameters(), lr=0.1)},
        "optimizer.groups[0].params[0] was body.0.weight, is head.weight here",
    ),
    "the schedule": (
        {"schedule": lambda opt, total: StepLR(opt, 3)},
        "schedule.kind was nothing, is torch.optim",
    ),
    "the collate": ({"train": DataLoader(pairs(), shuffle=True, collate_fn=one)}, "collate.name was nothing"),
    "the evaluation": ({"evaluate": pairs(6)}, "evaluation.length was nothing, is 6 here"),
    "the metrics": (
        {"evaluate": pairs(6), "metrics": {"accuracy": MulticlassAccuracy(2)}},
        "metrics.accuracy was nothing",
    ),
}


@pytest.mark.parametrize(("changes", "said"), DIFFERENT.values(), ids=DIFFERENT)
def test_another_job_is_refused_with_the_field_named(changes: dict[str, Any], said: str) -> None:
    differences = identity(small_task(**changes)).against(identity())

    assert any(said in sentence for sentence in differences.refused), differences.refused


def test_another_schedule_of_the_same_kind_is_refused() -> None:
    first, second = (identity(small_task(schedule=partial(StepLR))) for _ in range(2))
    third = identity(small_task(schedule=lambda opt, total: StepLR(opt, 3)))

    assert first == second
    assert "schedule.state.step_size was 5, is 3 here" in third.against(first).refused


def test_a_collate_is_to_be_given_with_the_loader() -> None:
    differences = identity().against(identity(collate=other))

    assert "(options hold no function once they are read back: give it as the loader's" in differences.refused[0]


def test_other_initial_weights_do_not_matter() -> None:
    differences = identity(small_task(model=seeded_net(1))).against(identity())

    assert vars_of(differences) == ((), (), ())


def test_changed_code_is_warned_of() -> None:
    differences = identity().against(changed(model__source="0" * 64))

    assert differences.refused == ()
    assert "model.source was 0000000000000000..." in differences.warned[0]


def test_the_coarsest_difference_comes_first() -> None:
    differences = identity(small_task(optimizer=torch.optim.AdamW)).against(identity())

    assert differences.refused[0].startswith("optimizer.name was torch.optim.sgd.SGD")
    assert len(differences.refused) > 3


def test_another_flag_is_refused_with_a_remedy() -> None:
    differences = identity().against(changed(flags__matmul_precision="high"))

    assert differences.refused == ("flags.matmul_precision was high, is highest here (set the flag as it was)",)


def test_another_environment_is_noted() -> None:
    differences = identity(kinds=("cuda",)).against(identity())

    assert differences.noted == ("environment.device_kinds was cpu, is cuda here",)


def test_a_hyperparameter_that_another_torch_does_not_know_is_noted() -> None:
    older = changed(environment__torch="2.6.0")
    del older.fields["optimizer"]["groups"][0]["maximize"]

    differences = identity().against(older)

    assert differences.refused == ()
    assert any("groups[0].maximize" in sentence for sentence in differences.noted)


def test_functions_that_no_checkpoint_holds_do_not_matter() -> None:
    differences = identity().against(identity(stop_when=lambda row: False, on_event=print))

    assert vars_of(differences) == ((), (), ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "does not say what job"),
        ("3", "version None"),
        ('{"version": 9}', "has version 9; this vfnb reads 1"),
    ],
)
def test_refuses_a_record_it_cannot_read(text: str, said: str) -> None:
    with pytest.raises(CheckpointError, match=said):
        Identity.parse(text)
