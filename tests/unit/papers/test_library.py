"""Recipes made ready to run: the small ones as they are, the full ones on tiny stand-ins for what they need."""

import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from hub_doubles import Compose, datasets, tiny_bert, torchvision
from torch import nn

import vfnb
from vfnb.ground import SpecError
from vfnb.papers import Lamb, load
from vfnb.papers.experiment import Grouped
from vfnb.papers.reading import recipes
from vfnb.papers.recipe import Growth

OFFLINE = [name for name, recipe in recipes().items() if recipe.version("binder").data != "movie-snippets"]
PICTURES = [
    (name, scale)
    for name, recipe in recipes().items()
    for scale, version in recipe.versions.items()
    if version.data in ("imagenet", "cifar10", "mnist")
]


def test_the_list_has_a_row_a_recipe() -> None:
    table = vfnb.papers.list()

    assert len(table) == len(recipes())
    lamb = table.loc["lamb-bert-32k"]
    assert (lamb.paper, lamb.batch, lamb.scales) == ("You et al. 2019", 32768, "binder, gpu, full")


@pytest.mark.parametrize("name", OFFLINE)
def test_a_recipe_trains_a_few_steps_here(name: str, tmp_path: Path) -> None:
    job = load(name).job(devices=1, steps=2, engine="inline", run_dir=tmp_path / "run")
    job.start()
    job.wait()

    assert len(job.history) == 2
    assert job.history.loss.notna().all()
    assert job.history.accuracy.notna().any()


def test_what_a_job_needs_can_be_given_to_one_by_hand() -> None:
    one = load("goyal-linear-scaling")

    job = vfnb.Job(one.task, one.cluster, **one.settings)

    assert (job.steps, job.cluster.count, job.options.drop_last) == (40 * 7, 16, True)
    assert one.lr == pytest.approx(0.32)


@pytest.mark.parametrize(("batch", "lr", "nodes"), [(32, 0.02, 1), (256, 0.16, 8), (1024, 0.64, 32)])
def test_another_batch_moves_rate_and_nodes_along(batch: int, lr: float, nodes: int) -> None:
    one = load("goyal-linear-scaling", batch=batch)

    assert (one.cluster.global_batch, one.cluster.count) == (batch, nodes)
    assert one.lr == pytest.approx(lr)
    assert one.cluster.accelerator == "P100 SXM2 16GB"


@pytest.mark.parametrize(
    ("batch", "steps", "grows"),
    [
        (160, 460, {401: 800, 451: 4000}),
        (32, 36 * 125 - 20 * 100 - 10 * 20, {2001: 160, 2251: 800}),
    ],
)
def test_a_growing_batch_is_part_of_the_recipe(batch: int, steps: int, grows: dict[int, int]) -> None:
    job = load("smith-increase-batch", batch=batch).job()

    assert dict(job.options.growth) == grows
    assert job.steps == steps


def test_growth_counts_the_steps_of_short_last_batches() -> None:
    growth = Growth(factor=2, after=(1, 3))

    assert growth.schedule(32, 100, drop_last=True) == {4: 64, 6: 128}
    assert growth.schedule(32, 100, drop_last=False) == {5: 64, 9: 128}


@pytest.mark.parametrize(("batch", "start"), [(32, 1.0), (512, 1 / 16)])
def test_a_gradual_warmup_begins_at_the_base_batchs_rate(batch: int, start: float) -> None:
    schedule = load("goyal-imagenet-1h", batch=batch).task.parts.schedule

    assert schedule is not None
    assert schedule.make.factor(0, 128) == pytest.approx(start)  # type: ignore[attr-defined]


def test_lambs_steps_and_warmup_follow_the_batch_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "datasets", datasets([]))

    one = load("lamb-bert-32k", "full", batch=512, model=tiny_bert(tmp_path))

    assert one.lr == pytest.approx(5 / 8e3)
    assert one.settings["steps"] == 1_000_000
    assert one.version.schedule is not None
    assert one.version.schedule["warmup"] == pytest.approx(1 / 320)
    assert one.cluster.count == 16


def test_a_batch_that_asks_for_an_absurd_rate_warns_with_the_number() -> None:
    with pytest.warns(UserWarning, match=r"learning rate of 2\.5.* at batch 4,000, 125 times"):
        load("goyal-linear-scaling", batch=4000)


@pytest.mark.parametrize(("name", "scale"), PICTURES)
def test_recipes_on_pictures_train_on_stand_ins(
    name: str, scale: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "torchvision", torchvision())
    for part in ("train", "val"):
        (tmp_path / "pictures" / part).mkdir(parents=True)

    one = load(name, scale, data=tmp_path / "pictures")  # type: ignore[arg-type]

    train, test = (part.source.dataset for part in (one.task.parts.train, one.task.parts.evaluation))
    if recipes()[name].version(scale).data == "imagenet":
        assert [Path(train.root).name, Path(test.root).name] == ["train", "val"]
    else:
        assert [train.asked["train"], test.asked["train"]] == [True, False]
    flips = [type(step).__name__ for step in train.asked["transform"].given] if isinstance(train, Compose) else []
    assert flips == [] or len(flips) > 2
    images, labels = next(iter(torch.utils.data.DataLoader(train, batch_size=8)))
    model = one.task.parts.model.build(0)
    loss = nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    one.task.parts.optimizer(model).step()


def test_the_networks_first_layer_suits_small_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torchvision", torchvision())

    network = load("goyal-imagenet-1h", "gpu").task.parts.model.build(0)

    assert network(torch.zeros(2, 3, 32, 32)).shape == (2, 10)
    assert isinstance(network.maxpool, nn.Identity)


def test_bert_is_tuned_on_glue_with_what_a_node_has_padded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: Any = []
    monkeypatch.setitem(sys.modules, "datasets", datasets(asked))
    one = load("virtualflow-bert-base-glue", "full", model=tiny_bert(tmp_path))

    job = one.job(devices=1, steps=2, engine="inline", run_dir=tmp_path / "run")
    job.start()
    job.wait()

    assert asked == [("nyu-mll/glue", "sst2")]
    assert job.history.accuracy.notna().any()
    assert job.history.loss.notna().all()
    decays = [group["weight_decay"] for group in one.task.parts.optimizer(job.model).param_groups]
    assert decays == [0.01, 0.0]


def test_a_pair_of_sentences_is_one_sample(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "datasets", datasets([]))

    one = load("virtualflow-bert-large-glue", "full", model=tiny_bert(tmp_path))

    sample = one.task.parts.train.source.dataset[0]
    assert len(sample["input_ids"]) == 3 + 3 + 3  # both, and three separators
    assert sample["token_type_ids"][-1] == 1


def test_bert_is_pretrained_by_lamb_on_masked_pages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: Any = []
    monkeypatch.setitem(sys.modules, "datasets", datasets(asked))
    one = load("lamb-bert-32k", "full", batch=8, model=tiny_bert(tmp_path))

    job = one.job(devices=1, steps=3, engine="inline", run_dir=tmp_path / "run")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a step in which nothing is masked has no weight
        job.start()
        job.wait()

    assert asked == [("wikimedia/wikipedia", "20231101.en", {"split": "train"})]
    assert isinstance(one.task.parts.optimizer.make, Grouped)  # type: ignore[union-attr]
    optimizer = one.task.parts.optimizer(job.model)
    assert isinstance(optimizer, Lamb)
    assert [group["adapt"] for group in optimizer.param_groups] == [True, False]
    assert job.history.loss.notna().any()


def test_a_data_set_of_ones_own_takes_glues_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: Any = []
    monkeypatch.setitem(sys.modules, "datasets", datasets(asked))

    load("virtualflow-bert-base-glue", "full", model=tiny_bert(tmp_path), data=tmp_path)

    assert asked == [(str(tmp_path),)]


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: load("lamb"), "recipe 'lamb' is unknown"),
        (lambda: load("goyal-linear-scaling", "gpu"), "has no version for scale='gpu'; it has 'binder', 'full'"),
        (lambda: load("goyal-linear-scaling", batch=0), "batch=0 is no batch"),
        (lambda: load("goyal-imagenet-1h", "full"), "data=None is no ImageNet.*train and val"),
        (lambda: load("goyal-imagenet-1h", data="/nowhere"), r"fashion_mnist_10k.npz is not in /nowhere.*checkout"),
        (lambda: load("virtualflow-bert-base-glue", data="/nowhere"), "movie_snippets.tsv is not in .*fetch.py"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(ask: Any, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        ask()


@pytest.mark.parametrize(
    ("name", "scale", "package"),
    [
        ("goyal-imagenet-1h", "gpu", "torchvision"),
        ("virtualflow-bert-base-glue", "full", "datasets"),
        ("lars-resnet50", "binder", "pytorch_optimizer"),
    ],
)
def test_a_missing_package_is_named_with_what_installs_it(
    name: str, scale: Any, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(SpecError, match=rf"from {package}, which cannot be imported.*pip install"):
        load(name, scale)
