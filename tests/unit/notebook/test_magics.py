"""The magic in an in-process IPython shell: verbs reach runs, and a mistake is one line."""

from functools import partial
from typing import Any

import pytest
import torch
from IPython.core.error import UsageError
from jobs import SAMPLES
from shells import MAGICS, small_task
from torch import nn

import vfnb
from vfnb.notebook.verbs import VERBS

LONG = "--on 1 --steps 1000000"


def flow_of(shell: Any) -> Any:
    return shell.magics_manager.registry[MAGICS].flow


def vflow(shell: Any, line: str) -> Any:
    return shell.run_line_magic("vflow", line)


def refused(shell: Any, line: str) -> str:
    with pytest.raises(UsageError) as caught:
        vflow(shell, line)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def inline(shell: Any, name: str, **given: Any) -> vfnb.Job:
    job = vfnb.Job(shell.user_ns["task"], flow_of(shell).target, name=name, engine="inline", **given)
    job.start()
    return job


@pytest.fixture
def ready(shell: Any) -> Any:
    """Give a shell with a target."""
    vflow(shell, "target 8xV100 --batch 32")
    return shell


@pytest.fixture
def done(ready: Any) -> Any:
    """Give a shell with a run, named old, that is done."""
    ready.user_ns["old"] = inline(ready, "old", steps=2)
    return ready


def test_a_run_is_trained_and_returned(ready: Any) -> None:
    job = vflow(ready, "run task --on 1 --steps 5 --name small")
    job.wait(timeout=60)

    assert (job.state, job.history.step.tolist()) == ("done", [1, 2, 3, 4, 5])
    assert vflow(ready, "runs").name.tolist() == ["small"]
    assert vflow(ready, "status") is job


def test_a_plan_is_measured_and_returned(ready: Any) -> None:
    plan = vflow(ready, "plan task --on 1")

    assert [choice.nodes_per_pass for choice in plan.choices][:1] == [1]
    assert plan.literal in repr(plan)


def test_the_bare_magic_and_a_verbs_help_are_printed(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert vflow(shell, "") is None
    vflow(shell, "run --help")

    assert "%vflow target 1024xTPUv3" in (said := capsys.readouterr().out)
    assert "--epochs N" in said


def test_the_magics_own_help_names_each_verb_and_flag(shell: Any) -> None:
    for text in (shell.find_line_magic("vflow").__doc__, shell.find_cell_magic("vflow").__doc__):
        assert all(verb.example in text and all(flag in text for flag in verb.flags) for verb in VERBS.values())


# -- mistakes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("target 8xV1000 --batch 8", "V1000"),
        ("target 8xV100", "needs a cluster and its --batch; try: %vflow target"),
        ("target --batch 8", "needs a cluster"),
        ("target 8xV100 --batch 0", "global_batch=0"),
        ("target 8xV100 --batch 8 --chart", "--chart draws an estimate; say of what"),
        ("target 8xV100 --batch 8 --of resnet50 --chart", "a chart needs a notebook"),
        ("run task --on 1", "no target is chosen; begin with: %vflow target"),
        ("plan task --on 1", "no target is chosen; begin with: %vflow target"),
        ("resize 2", "no run was started here; begin with: %vflow run"),
        ("status", "no run was started here"),
        ("stop", "no run was started here"),
        ("pause", "no run was started here"),
        ("resume", "no run was started here"),
        ("show", "no run was started here"),
        ("map 0:4", "no run was started here"),
        ("map 0-3", "worker:nodes"),
        ("map 0:4 0:4", "each worker once"),
        ("map", "each worker once"),
        ("resize", "Try: %vflow resize 4"),
        ("runs", "no run was left in this folder; begin one with: %vflow run task"),
        ("runs nowhere", "no run was left in nowhere"),
        ("compare", "compare needs two runs or more"),
        ("compare one", "compare needs two runs or more"),
        ("compare one other", "one"),
    ],
)
def test_what_is_missing_is_said_with_what_to_write(line: str, sentence: str, shell: Any) -> None:
    assert sentence in refused(shell, line)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("run tasc", "nothing here is named 'tasc'; did you mean task?"),
        ("plan", "plan needs a task; try: %vflow plan task"),
        ("plan tasc", "did you mean task?"),
        ("plan task --on cuba:0", "cuba"),
        ("plan task --options number", "give a vfnb.Options("),
        ("run number", "number is a float; give a vfnb.Task("),
        ("run", "run needs a task, or --model --data --loss --optimizer; missing: --model"),
        ("run", "try: %vflow run task"),
        ("run task --model net", "not both"),
        ("run --model net --data no", "missing: --loss, --optimizer"),
        ("run --model net --data no --loss no --optimizer no", "nothing here is named 'net'; define it"),
        ("run --model number --data number --loss number --optimizer number", "model=3.5 is no model"),
        ("run task --options number", "number is a float; give a vfnb.Options("),
        ("run task --options nine", "nothing here is named 'nine'; give a vfnb.Options("),
        ("run task --on 0", "devices=0"),
        ("run task --on cuba:0", "cuba"),
        ("run task --on number", "devices=3.5"),
        ("run task --epochs 1 --steps 2", "give exactly one"),
        ("run task --steps 0", "steps=0"),
        ("run task --seed -1", "seed=-1"),
        ("run task --name number", "would replace your variable number (a float)"),
        ("run task --name a/b", "cannot name a run's directory"),
        ("run task --resume", "no run can go on with this task: none in this folder ended before"),
        ("run task --resume old", "no run named 'old' was left here"),
        ("run task --resume --seed 3", "keeps its seed; leave out --seed"),
    ],
)
def test_a_run_that_cannot_begin_is_refused_in_one_line(line: str, sentence: str, ready: Any) -> None:
    ready.user_ns["number"] = 3.5

    said = refused(ready, line)

    assert sentence in said
    assert flow_of(ready).known() == {}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("stop", "run 'old' is done, so there is nothing to stop; train again with: %vflow run task"),
        ("pause", "nothing to pause"),
        ("resume old", "nothing to resume"),
        ("resize 2", "nothing to resize"),
        ("map 0:8 --name old", "nothing to map"),
        ("status olt", "no run here is named 'olt'; did you mean old?"),
        ("stop x", "no run here is named 'x'; there is old"),
        ("run task --on 1 --steps 2 --name old", "there is a run in"),
        ("run task --resume old", "run 'old' is done: it trained all 2 steps"),
        ("run task --resume olt", "did you mean old?"),
    ],
)
def test_a_run_that_has_ended_is_told_from_one_that_is_not_there(line: str, sentence: str, done: Any) -> None:
    assert sentence in refused(done, line)


# -- variables -----------------------------------------------------------------------------------------------


def test_only_a_name_that_is_given_becomes_a_variable(ready: Any) -> None:
    ready.user_ns["job"] = "mine"

    vflow(ready, "run task --on 1 --steps 2").wait(timeout=60)
    named = vflow(ready, "run task --on 1 --steps 3 --name small")
    hyphened = vflow(ready, "run task --on 1 --steps 4 --name small-er")

    assert ready.user_ns["job"] == "mine"
    assert ready.user_ns["small"] is named
    assert vflow(ready, "status small-er") is hyphened


def test_a_line_takes_variables_by_name_and_by_value(ready: Any) -> None:
    ready.user_ns.update(length=4, slots=["cpu:0", "cpu:1"], rare=vfnb.Options(blocks=2), word="task")

    ready.run_cell("first = %vflow run $word --on slots --steps {length - 2} --options rare").raise_error()
    ready.run_cell("second = %vflow run task --on {slots[0]} --steps $length --name second").raise_error()

    first, second = ready.user_ns["first"], ready.user_ns["second"]
    first.wait(timeout=60)
    assert (first.steps, first.options.blocks, second.steps) == (2, 2, 4)


def test_a_value_that_is_not_there_is_refused_as_it_was_written(ready: Any) -> None:
    assert "'$nowhere' is no whole number" in refused(ready, "run task --steps $nowhere")


def test_defaults_are_configured_and_a_line_goes_before_them(ready: Any) -> None:
    ready.run_cell("%config VFlow.seed = 7").raise_error()
    ready.run_cell("%config VFlow.devices = ['cpu:1']").raise_error()
    configured = vflow(ready, "run task --steps 2")
    configured.wait(timeout=60)
    told = vflow(ready, "run task --steps 2 --seed 0 --on cpu:0")
    told.wait(timeout=60)
    alike = vflow(ready, "run task --steps 2 --seed 7 --on cpu:0")
    alike.wait(timeout=60)

    assert {event.device for event in configured.events if hasattr(event, "device")} == {"cpu:1"}
    assert configured.fingerprint != told.fingerprint
    assert configured.fingerprint == alike.fingerprint


def test_a_wrong_default_is_not_taken(ready: Any) -> None:
    ready.run_cell("%config VFlow.seed = -1")

    assert flow_of(ready).seed == 0


# -- the cell form -------------------------------------------------------------------------------------------


def test_the_cell_magic_takes_the_cells_names_and_values(ready: Any) -> None:
    cell = "copied, length = task, 2"
    ready.user_ns["length"] = 9

    ready.run_cell_magic("vflow", "run copied --on 1 --steps $length --name celled", cell)

    assert ready.user_ns["celled"].steps == 2


def test_a_cell_that_fails_starts_nothing_and_fails(ready: Any) -> None:
    result = ready.run_cell("%%vflow run task --on 1 --steps 2 --name never\n1 / 0")

    assert isinstance(result.error_in_exec, ZeroDivisionError)
    assert flow_of(ready).known() == {}


def test_a_mistake_in_a_cells_line_fails_the_cell(ready: Any) -> None:
    result = ready.run_cell("%%vflow run nothing\nx = 1")

    assert isinstance(result.error_in_exec, UsageError)


# -- several runs --------------------------------------------------------------------------------------------


def test_running_the_cell_again_shows_the_run_that_trains(ready: Any, capsys: pytest.CaptureFixture[str]) -> None:
    job = vflow(ready, f"run task {LONG}")

    again = vflow(ready, f"run task {LONG}")
    ready.user_ns["task"] = small_task()  # the cell above it run again, too
    once_more = vflow(ready, f"run task {LONG}")

    assert again is job
    assert once_more is job
    assert f"run {job.name!r} is " in capsys.readouterr().out


@pytest.mark.parametrize("change", ["--seed 1", "--steps 999", "--options rare", "other"])
def test_another_run_is_refused_while_one_trains(change: str, ready: Any) -> None:
    ready.user_ns.update(other=small_task(rate=0.2), rare=vfnb.Options(blocks=2))
    job = vflow(ready, f"run task {LONG}")
    task, flags = ("other", "") if change == "other" else ("task", change)
    steps = "" if "--steps" in flags else "--steps 1000000"

    said = refused(ready, f"run {task} --on 1 {steps} {flags}")

    assert said == (
        f"run {job.name!r} trains already and is another one; add --replace to stop it first, or --name to train both"
    )


def test_a_run_started_in_python_is_in_the_way_too(ready: Any) -> None:
    job = vfnb.Job(ready.user_ns["task"], flow_of(ready).target, devices=1, steps=1000000)
    job.start()
    ready.user_ns["mine"] = job

    assert "run 'mine' trains already" in refused(ready, "run task --on 1 --steps 9")
    assert vflow(ready, "status") is job


def test_replace_stops_the_run_that_trains_and_keeps_the_name(ready: Any) -> None:
    old = vflow(ready, f"run task {LONG} --name mine")

    new = vflow(ready, f"run task {LONG} --seed 1 --name mine --replace")

    assert old.state == "stopped"
    assert new.name == "mine-2"
    assert ready.user_ns["mine"] is new
    assert vflow(ready, "status mine") is new


def test_two_named_runs_train_side_by_side_and_the_newest_is_meant(ready: Any) -> None:
    first = vflow(ready, f"run task {LONG} --name first")
    second = vflow(ready, f"run task {LONG} --seed 1 --name second")

    assert vflow(ready, "status") is second
    assert vflow(ready, "resize cpu:1 --name first").result(timeout=60).after == ("cpu:1",)
    vflow(ready, "stop")
    second.wait(timeout=60)
    assert "run 'second' is stopped, so there is nothing to pause; training are first" in refused(ready, "pause")
    vflow(ready, "stop first")
    first.wait(timeout=60)
    assert first.state == "stopped"


# -- verbs of a run ------------------------------------------------------------------------------------------


def test_a_run_is_made_of_names_and_every_verb_reaches_it(ready: Any) -> None:
    data = torch.utils.data.TensorDataset(torch.randn(SAMPLES, 2), torch.arange(SAMPLES) % 2)
    parts = {
        "net": nn.Linear(2, 2),
        "points": data,
        "far": nn.CrossEntropyLoss(),
        "sgd": partial(torch.optim.SGD, lr=1),
    }
    ready.user_ns.update(parts)

    line = "run --on cpu:0,cpu:1 --steps 1000000 --model net --data points --loss far --optimizer sgd"
    job = vflow(ready, line)
    switched = vflow(ready, "map 0:6 1:2").result(timeout=60)
    shrunk = vflow(ready, "resize cpu:0").result(timeout=60)
    vflow(ready, "pause")
    vflow(ready, "resume")
    assert vflow(ready, "show") is None
    vflow(ready, "stop")
    job.wait(timeout=60)

    assert switched is not None
    assert shrunk.after == ("cpu:0",)
    assert job.state == "stopped"


def test_a_target_is_estimated_for_a_task_or_a_known_model(shell: Any) -> None:
    of_task = vflow(shell, "target 8xV100 --batch 32 --of task --steps 10")
    of_bert = vflow(shell, "target 1024xTPUv3 --batch 32768 --of bert-large")

    assert of_task.memory.verdict == "fits"
    assert of_bert.step_seconds.low < of_bert.step_seconds.high
    assert flow_of(shell).target.nodes == 1024
    assert "bert-lerge" in refused(shell, "target 8xV100 --batch 32 --of bert-lerge")


def test_runs_are_compared_by_variable_and_by_folder(ready: Any) -> None:
    first = ready.user_ns["first"] = inline(ready, "one", seed=0, steps=2)
    inline(ready, "two", seed=1, steps=2)

    found = vflow(ready, "compare first vfnb-runs/two")

    assert list(found.table.index) == ["one", "two"]
    assert found.table.fingerprint["one"] == first.fingerprint != found.table.fingerprint["two"]


def test_a_run_that_ended_early_goes_on_from_its_step(ready: Any, capsys: pytest.CaptureFixture[str]) -> None:
    whole = inline(ready, "whole", seed=5, steps=6)
    inline(ready, "broken", seed=5, steps=6, options=vfnb.Options(stop_when=lambda row: row.step == 4))
    ready.user_ns["other"] = small_task(rate=0.5)

    assert "is of another job: optimizer" in refused(ready, "run other --resume")
    went_on = vflow(ready, "run task --resume --on 1")
    went_on.wait(timeout=60)

    assert "going on from step 4 of 6 of run 'broken'" in capsys.readouterr().out
    assert went_on.fingerprint == whole.fingerprint


def test_devices_are_named(shell: Any) -> None:
    assert "cpu:0" in vflow(shell, "devices")
