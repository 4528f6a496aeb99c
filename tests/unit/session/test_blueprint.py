from typing import Any

import pytest
import torch
from session_doubles import CLUSTER, Net, pairs, seeded_net, small_task
from torch.utils.data import DataLoader
from torchmetrics.classification import MulticlassAccuracy

from vfnb.ground import SpecError
from vfnb.numerics import fingerprint
from vfnb.session.blueprint import Blueprint, Length, draw
from vfnb.session.loss import OutputLoss
from vfnb.session.task import Task
from vfnb.spec import Options


def drawn(
    task: Task | None = None, *, seed: Any = 0, epochs: Any = None, steps: Any = None, **options: Any
) -> Blueprint:
    length = Length(epochs=epochs, steps=steps if epochs is not None or steps is not None else 5)
    return draw(task or small_task(), CLUSTER, seed=seed, length=length, options=Options(**options))


def first(samples: list[Any]) -> Any:
    return samples[0]


def test_epochs_are_counted_in_steps() -> None:
    assert drawn(epochs=2).steps == 6
    assert drawn(small_task(train=pairs(25)), epochs=2).steps == 8
    assert drawn(small_task(train=pairs(25)), epochs=2, drop_last=True).steps == 6


def test_steps_are_taken_as_they_are() -> None:
    assert drawn(steps=1000).steps == 1000


@pytest.mark.parametrize(("epochs", "steps"), [(None, None), (1, 1)])
def test_refuses_not_exactly_one_of_epochs_and_steps(epochs: int | None, steps: int | None) -> None:
    with pytest.raises(SpecError, match=rf"epochs={epochs} and steps={steps}: give exactly one of them"):
        Length(epochs=epochs, steps=steps)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "3"])
def test_refuses_a_length_that_is_no_count(wrong: Any) -> None:
    with pytest.raises(SpecError, match=f"epochs={wrong!r} is not possible; give a whole number of at least 1"):
        Length(epochs=wrong, steps=None)


@pytest.mark.parametrize("wrong", [-1, 0.5, None, True])
def test_refuses_a_seed_that_is_no_number(wrong: Any) -> None:
    with pytest.raises(SpecError, match="seed="):
        drawn(seed=wrong)


@pytest.mark.parametrize(
    ("task", "cluster", "said"),
    [
        (small_task(), "8xV100", r"cluster is a str; give vfnb\.VirtualCluster\.parse"),
        (Net(), CLUSTER, r"task is a Net; give vfnb\.Task"),
    ],
)
def test_refuses_parts_of_the_wrong_kind(task: Any, cluster: Any, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        draw(task, cluster, seed=0, length=Length(epochs=1, steps=None), options=Options())


def test_a_batch_that_is_always_dropped_is_refused() -> None:
    with pytest.raises(SpecError, match="drop_last=True drops the only batch"):
        drawn(small_task(train=pairs(5)), epochs=1, drop_last=True)


def test_blocks_are_the_layouts() -> None:
    assert drawn(blocks=2).layout.blocks == 2
    assert drawn().layout.blocks == 4


def test_the_same_seed_draws_the_same_weights() -> None:
    task = small_task(model=Net)

    prints = [fingerprint(dict(drawn(task, seed=seed).model.named_parameters())) for seed in (1, 1, 2)]

    assert prints[0] == prints[1] != prints[2]


def test_a_model_in_evaluation_mode_is_trained_and_remembered() -> None:
    blueprint = drawn(small_task(model=seeded_net().eval()))

    assert blueprint.model.training
    assert blueprint.evaluating


def test_the_program_has_the_loaders_processes_and_collate() -> None:
    loader = DataLoader(pairs(), batch_size=2, num_workers=2, collate_fn=first)

    program = drawn(small_task(train=loader)).program("{}")

    assert program.options.loader_workers == 2
    assert program.train.collate is first
    assert not program.train.shuffle


def test_a_jobs_own_loader_processes_go_before_the_loaders() -> None:
    loader = DataLoader(pairs(), batch_size=2, num_workers=2)

    assert drawn(small_task(train=loader), loader_workers=1).program("{}").options.loader_workers == 1


def test_the_program_leaves_the_drivers_callback_behind() -> None:
    program = drawn(on_event=print, collate=first, stop_when=lambda row: False).program("{}")

    assert program.options.on_event is None
    assert program.options.collate is None
    assert program.train.collate is first
    assert program.options.stop_when is not None


def test_predictions_are_made_where_there_are_metrics() -> None:
    measured = small_task(evaluate=pairs(6), metrics={"accuracy": MulticlassAccuracy(2)})

    assert drawn(measured).program("{}").predict is not None
    assert drawn(small_task(evaluate=pairs(6))).program("{}").predict is None


def test_evaluation_data_keep_their_order() -> None:
    evaluation = drawn(small_task(evaluate=pairs(6))).program("{}").evaluation

    assert evaluation is not None
    assert not evaluation.shuffle


def test_a_model_with_its_own_loss_is_asked_whether_it_shifts() -> None:
    causal = type("NetForCausalLM", (Net,), {})

    assert drawn(small_task(model=causal, loss=None)).loss == OutputLoss(causal=True)
    assert drawn(small_task(loss=None)).loss == OutputLoss(causal=False)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"keep_best": "accuracy"}, "keep_best='accuracy' is not measured; the task evaluates nothing"),
        ({"evaluate_every": 5}, "evaluate_every=5 has nothing to evaluate; give evaluate="),
    ],
)
def test_refuses_options_about_an_evaluation_that_is_not_there(options: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        drawn(**options)


def test_the_best_is_kept_by_a_metric_or_the_loss() -> None:
    measured = small_task(evaluate=pairs(6), metrics={"accuracy": MulticlassAccuracy(2)})

    assert drawn(measured, keep_best="accuracy").options.keep_best == "accuracy"
    assert drawn(measured, keep_best="-loss").options.keep_best == "-loss"
    with pytest.raises(SpecError, match="the task has accuracy, loss"):
        drawn(measured, keep_best="top5")


def test_making_a_job_leaves_the_global_generators_alone() -> None:
    before = torch.get_rng_state()

    drawn(small_task(model=Net))

    assert torch.equal(torch.get_rng_state(), before)
