from collections.abc import Callable
from typing import Any

import pytest
import torch
from session_doubles import Net, pairs, small_task
from torch import nn
from torch.utils.data import DataLoader, Subset

from vfnb.ground import SpecError
from vfnb.runtime import Source
from vfnb.session.blueprint import Blueprint, Length, draw
from vfnb.session.checkup import look_over, unsteady_fields
from vfnb.session.task import Task
from vfnb.spec import Event, NotGuaranteed, Options, VirtualCluster, Warned


def drawn(task: Task, nodes: int = 4, batch: int = 8, **options: Any) -> Blueprint:
    cluster = VirtualCluster(accelerator="", count=nodes, global_batch=batch)
    return draw(task, cluster, seed=0, length=Length(epochs=1, steps=None), options=Options(**options))


def noticed(task: Task, nodes: int = 4, batch: int = 8, *, travels: bool = False, **options: Any) -> list[str]:
    blueprint = drawn(task, nodes, batch, **options)
    events = look_over(blueprint, blueprint.program("{}"), travels=travels)
    return [said(event) for event in events]


def said(event: Event) -> str:
    match event:
        case Warned(message=message):
            return message
        case NotGuaranteed(what=what, reason=reason):
            return f"{what}: {reason}"
        case _:
            raise AssertionError(event)


class Counting:
    """Answers by how often it was asked."""

    def __init__(self, transform: Callable[[int], int] | None = None) -> None:
        self.asked, self.transform = 0, transform

    def __len__(self) -> int:
        return 24

    def __getitem__(self, index: int) -> Any:
        self.asked += 1
        return {"x": torch.full((3,), float(index)), "y": self.asked % 2}


class OwnGenerator:
    """Draws from a generator that nobody seeds."""

    def __init__(self) -> None:
        self.generator = torch.Generator()

    def __len__(self) -> int:
        return 24

    def __getitem__(self, index: int) -> Any:
        return torch.randn(3, generator=self.generator), index % 2


class Augmented(OwnGenerator):
    """Draws from torch's global generator."""

    def __getitem__(self, index: int) -> Any:
        return torch.randn(3), index % 2


def test_usual_jobs_are_not_remarked_on() -> None:
    assert noticed(small_task()) == []


def test_a_data_set_with_a_counter_is_found_with_index_and_field() -> None:
    (found,) = unsteady_fields(Source(dataset=Counting()))

    assert found == "sample 0 of the training data, field 'y'"


def test_a_data_set_with_a_generator_of_its_own_is_found() -> None:
    (found,) = unsteady_fields(Source(dataset=OwnGenerator()))

    assert found == "sample 0 of the training data, field '0'"


def test_the_transform_is_named_through_subsets() -> None:
    dataset: Any = Subset(Counting(transform=abs), range(10))  # type: ignore[arg-type]  # a data set by its methods

    (found,) = unsteady_fields(Source(dataset=dataset))

    assert found.endswith("(abs)")


def test_a_data_set_that_draws_from_the_global_generators_is_steady() -> None:
    assert list(unsteady_fields(Source(dataset=Augmented()))) == []


def test_an_unsteady_data_set_ends_the_promise_with_a_remedy() -> None:
    sentences = noticed(small_task(train=OwnGenerator()))

    assert any("let it draw from those" in sentence for sentence in sentences)


def test_a_batch_smaller_than_the_cluster_is_a_warning() -> None:
    (sentence, *_) = noticed(small_task(model=nn.Linear(3, 2)), nodes=16, batch=8)

    assert "8 virtual nodes get no samples; a batch of at least 16 uses them all" in sentence


def test_a_batch_larger_than_the_data_is_a_warning() -> None:
    (sentence, *_) = noticed(small_task(train=pairs(24), model=nn.Linear(3, 2)), nodes=8, batch=25)

    assert sentence == "the global batch of 25 is more than the 24 samples; each step takes all of them"


def test_a_batch_of_all_the_data_is_as_usual() -> None:
    assert list(noticed(small_task(train=pairs(24), model=nn.Linear(3, 2)), nodes=8, batch=24)) == []


def test_single_samples_under_batch_norm_are_refused_where_it_cannot_train_on_them() -> None:
    with pytest.raises(SpecError, match=r"batch norm.*larger batch or fewer devices"):
        noticed(small_task(train=pairs(24)), nodes=8, batch=8)


def test_a_short_last_batch_under_batch_norm_is_announced_with_a_choice() -> None:
    (sentence,) = noticed(small_task(train=pairs(21)))

    assert "each epoch's last batch of 5; Options(drop_last=True)" in sentence
    assert noticed(small_task(train=pairs(21)), drop_last=True) == []
    assert noticed(small_task(model=nn.Linear(3, 2), train=pairs(21))) == []


def test_what_was_not_taken_from_a_loader_is_remarked() -> None:
    (sentence,) = noticed(small_task(train=DataLoader(pairs(), batch_size=4, drop_last=True)))

    assert "drop_last=True, which is not taken over" in sentence


def own_loss(batch: Any) -> Callable[[list[Any]], Any]:
    return lambda samples: batch


class Losing(Net):
    """Has a loss of its own."""

    def forward(self, x: Any, labels: Any = None) -> Any:
        return {"loss": super().forward(x).mean()}


@pytest.mark.parametrize(
    ("batch", "remarks"),
    [({"x": torch.ones(4, 3)}, 1), ({"x": torch.ones(4, 3), "labels": torch.ones(4)}, 0)],
)
def test_an_unknown_weight_is_remarked_on_once(batch: Any, remarks: int) -> None:
    task = small_task(model=Losing, loss=None)

    sentences = noticed(task, collate=own_loss(batch))

    assert len([sentence for sentence in sentences if "vfnb.Weighted" in sentence]) == remarks


def test_a_part_that_cannot_travel_is_refused_with_its_attribute() -> None:
    dataset: Any = Counting()
    dataset.stream = (number for number in range(3))
    task = small_task(train=dataset, loss=lambda model, batch: model(batch["x"]).mean())

    with pytest.raises(SpecError, match=r"train.*stream.*cannot be sent to a worker"):
        noticed(task, travels=True)
    assert noticed(task, travels=False)


def test_looking_leaves_the_global_generators_alone() -> None:
    before = torch.get_rng_state()

    noticed(small_task(train=Augmented()))

    assert torch.equal(torch.get_rng_state(), before)


def test_a_schedule_that_outgrows_the_data_or_the_job_is_a_warning() -> None:
    task = small_task(train=pairs(24), model=nn.Linear(3, 2))

    assert noticed(task, batch_schedule={2: 24}) == []
    assert noticed(task, batch_schedule={2: 32}) == [
        "the global batch of 32 is more than the 24 samples; each step takes all of them"
    ]
    assert noticed(task, batch_schedule={9: 24}) == ["the batch never grows to 24: step 9 comes after the last one, 3"]


def test_a_short_batch_that_a_growth_leaves_under_batch_norm_is_announced() -> None:
    # 8, 16 and 8 samples, the last over 8 nodes; later epochs are 16 and 16.
    (sentence,) = noticed(small_task(train=pairs(32)), batch_schedule={2: 16})

    assert "get one sample of epoch 1's last batch of 8; Options(drop_last=True)" in sentence
