"""Recipe files: what is wrong in one is one clear sentence; those of the package are whole."""

import pytest

from vfnb.ground import SpecError
from vfnb.papers.experiment import OPTIMIZERS, RULES, SCHEDULES, target
from vfnb.papers.reading import find_recipe, read_recipe, recipes
from vfnb.papers.recipe import Version
from vfnb.papers.sets import DATA, MODELS
from vfnb.planning import known_models
from vfnb.spec import Options

SMALL = """
claim = "Larger is as good."
[paper]
authors = "Somebody"
title = "On batches"
year = 2017
source = "arXiv 0000.00000"
[[published]]
about = "accuracy in %"
columns = ["batch", "accuracy"]
rows = [[32, 90.5], ["64", 91]]
source = "table 1"
status = "read"
[versions.binder]
model = "digits-convnet"
data = "digits"
cluster = "8xV100"
global_batch = 64
epochs = 3
optimizer = { name = "sgd", lr = 0.1 }
"""
VERSIONS = [
    (recipe.name, scale, version) for recipe in recipes().values() for scale, version in recipe.versions.items()
]


def test_a_recipe_is_read_as_it_stands() -> None:
    recipe = read_recipe(SMALL, "small")

    assert (recipe.name, str(recipe.paper)) == ("small", "Somebody (2017), On batches, arXiv 0000.00000")
    assert recipe.published[0].rows == ((32, 90.5), ("64", 91))
    assert recipe.version("binder").optimizer == {"name": "sgd", "lr": 0.1}
    assert recipe.version("binder").schedule is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("year = 2017\n", "", "recipe small, paper lacks the field 'year'"),
        ("year = 2017", 'year = "2017"', "recipe small, paper, year is '2017'; write a whole number"),
        ("epochs = 3", "epoch = 3", "versions.binder has the unknown field 'epoch'; did you mean 'epochs'"),
        ("epochs = 3", "epochs = true", "versions.binder, epochs is True; write a whole number"),
        ("epochs = 3", "", "versions.binder: epochs=None and steps=None"),
        ("epochs = 3", "epochs = 3\nsteps = 4", "versions.binder: epochs=3 and steps=4"),
        ("optimizer = {", "optimizer = 3 # {", "optimizer is 3; write a table"),
        ("[32, 90.5]", "[32]", r"published 1: a row of 'accuracy in %' has 1 cells for 2 columns"),
        ("[32, 90.5]", "[32, true]", "rows 1 2 is True; write a text or a whole number or a number"),
        ('status = "read"', 'status = "sure"', "status='sure' is unknown; give one of read, told, recalled, measured"),
        ("[versions.binder]", "[versions.laptop]", r"versions=\['laptop'\].*binder, gpu, full"),
        ("epochs = 3", "steps = 3\ngrowth = { factor = 5, after = [1] }", "versions.binder: growth goes by epochs"),
        ("epochs = 3", "epochs = 3\ngrowth = { factor = 1, after = [1] }", "growth: factor=1 after=.1.: give rising"),
        ("epochs = 3", "epochs = 3\ngrowth = { factor = 5, after = [2, 2] }", "after=.2, 2.: give rising epochs"),
        ("epochs = 3", "epochs = 3\ngrowth = { factor = 5, after = [] }", "after=..: give rising epochs"),
        ("[[published]]", "[published]", "recipe small, published is .*; write a list"),
        ("claim", "claim = 3\nclam", "recipe small is no TOML|unknown field 'clam'; did you mean 'claim'"),
    ],
)
def test_what_is_wrong_is_one_sentence(old: str, new: str, said: str) -> None:
    assert old in SMALL

    with pytest.raises(SpecError, match=said) as raised:
        read_recipe(SMALL.replace(old, new, 1), "small")

    assert "\n" not in str(raised.value)


def test_text_that_is_no_toml_is_one_sentence_too() -> None:
    with pytest.raises(SpecError, match="recipe small is no TOML"):
        read_recipe("claim = ", "small")


def test_an_unknown_recipe_names_the_nearest() -> None:
    with pytest.raises(SpecError, match=r"'lamb-bert' is unknown; the nearest are lamb-bert-32k"):
        find_recipe("lamb-bert")


def test_the_experiments_that_were_asked_for_are_there() -> None:
    assert list(recipes()) == [
        "goyal-imagenet-1h",
        "goyal-linear-scaling",
        "hoffer-ghost-batch-norm",
        "keskar-generalization-gap",
        "lamb-bert-32k",
        "lars-resnet50",
        "mccandlish-noise-scale",
        "shallue-steps-to-result",
        "smith-increase-batch",
        "virtualflow-bert-base-glue",
        "virtualflow-bert-large-glue",
        "virtualflow-resnet50",
    ]
    assert all({"binder", "full"} <= recipe.versions.keys() for recipe in recipes().values())


@pytest.mark.parametrize(("name", "scale", "version"), VERSIONS, ids=[f"{name} {scale}" for name, scale, _ in VERSIONS])
def test_a_version_names_what_there_is(name: str, scale: str, version: Version) -> None:
    assert version.model in MODELS
    assert version.data in DATA
    assert version.optimizer["name"] in OPTIMIZERS
    assert version.schedule is None or version.schedule["name"] in SCHEDULES
    assert version.scaling is None or version.scaling.rule in RULES
    assert version.known is None or version.known["model"] in known_models()
    assert target(version).global_batch >= target(version).count
    Options(**(version.options or {}))
    assert scale == "full" or version.changes, f"{name} does not say what was scaled"
    assert scale != "binder" or version.found is not None, f"{name} does not say what was found"
