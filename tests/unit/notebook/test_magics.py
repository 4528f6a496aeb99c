"""The magic in an in-process IPython shell: verbs, and one line for a mistake."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from IPython.core.error import UsageError
from IPython.testing.globalipapp import start_ipython
from jobs import SAMPLES
from torch import nn

import vfnb
from vfnb.notebook import unload_ipython_extension
from vfnb.notebook.verbs import FLAGS


@pytest.fixture(scope="module")
def ipython() -> Any:
    """Start the one shell that a process can have."""
    return start_ipython()


@pytest.fixture
def shell(ipython: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Give a shell with the extension, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    vfnb.load_ipython_extension(ipython)
    data = torch.utils.data.TensorDataset(torch.randn(SAMPLES, 2), torch.arange(SAMPLES) % 2)
    sgd = partial(torch.optim.SGD, lr=0.1)
    ipython.user_ns["task"] = vfnb.Task(nn.Linear(2, 2), data, nn.CrossEntropyLoss(), sgd)
    yield ipython
    ipython.magics_manager.magics["line"].pop("vflow", None)


def test_a_run_is_trained_and_returned(shell: Any) -> None:
    shell.run_line_magic("vflow", "target 8xV100 --batch 32")
    job = shell.run_line_magic("vflow", "run task --on 1 --steps 5 --name small")
    job.wait(timeout=60)

    assert (job.state, job.history.step.tolist()) == ("done", [1, 2, 3, 4, 5])
    assert shell.user_ns["small"] is job
    assert shell.run_line_magic("vflow", "runs").name.tolist() == ["small"]


def test_the_bare_magic_lists_its_verbs(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_line_magic("vflow", "")

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines[:5]] == ["target", "run", "resize", "status", "stop"]
    shell.run_line_magic("vflow", "--help")
    assert capsys.readouterr().out.splitlines() == lines


def test_the_magics_own_help_names_each_flag(shell: Any) -> None:
    text = shell.find_line_magic("vflow").__doc__

    assert all(flag in text for flags in FLAGS.values() for flag in flags)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("fly", "no verb 'fly'"),
        ("target 8xV1000 --batch 8", "V1000"),
        ("target 8xV100", "--batch"),
        ("run task --on 1", "no target"),
        ("resize 2", "no run was started"),
        ("map 0-3", "worker:nodes"),
        ("map 0:4 0:4", "each worker once"),
        ("map", "each worker once"),
        ("target 8xV100 --batch many", "invalid int"),
        ("target 8xV100 --batch 8 --epochs 2", "target takes no --epochs; it takes --batch"),
        ("stop --epochs 2", "stop takes no --epochs"),
        ("pause now", "pause takes no 'now'"),
        ("status --fast", "--fast"),
        ("target 'open", "No closing quotation"),
    ],
)
def test_a_mistake_is_one_line(line: str, sentence: str, shell: Any) -> None:
    with pytest.raises(UsageError, match=sentence) as caught:
        shell.run_line_magic("vflow", line)

    assert "\n" not in str(caught.value)


def test_the_cell_magic_takes_the_cells_names(shell: Any) -> None:
    shell.run_line_magic("vflow", "target 8xV100 --batch 32")
    shell.run_cell_magic("vflow", "run copied --on 1 --steps 2 --name celled", "copied = task")
    shell.user_ns["celled"].wait(timeout=60)

    assert shell.user_ns["celled"].state == "done"


def test_a_cell_that_fails_starts_nothing(shell: Any) -> None:
    shell.run_line_magic("vflow", "target 8xV100 --batch 32")

    with pytest.raises(ZeroDivisionError):
        shell.run_cell_magic("vflow", "run task --on 1 --steps 2 --name never", "1 / 0")

    assert "never" not in shell.user_ns


def test_a_run_is_made_of_names_and_every_verb_reaches_it(shell: Any) -> None:
    data = torch.utils.data.TensorDataset(torch.randn(SAMPLES, 2), torch.arange(SAMPLES) % 2)
    parts = {
        "net": nn.Linear(2, 2),
        "points": data,
        "far": nn.CrossEntropyLoss(),
        "sgd": partial(torch.optim.SGD, lr=1),
    }
    shell.user_ns.update(parts)
    shell.run_line_magic("vflow", "target 8xV100 --batch 32")

    line = "run --on cpu:0,cpu:1 --steps 100000 --model net --data points --loss far --optimizer sgd"
    job = shell.run_line_magic("vflow", line)
    try:
        switched = shell.run_line_magic("vflow", "map 0:6 1:2").result(timeout=60)
        assert switched is not None
        shrunk = shell.run_line_magic("vflow", "resize cpu:0").result(timeout=60)
        shell.run_line_magic("vflow", "pause")
        shell.run_line_magic("vflow", "resume")
        assert shell.run_line_magic("vflow", "status") is job
    finally:
        shell.run_line_magic("vflow", "stop")
        job.wait(timeout=60)

    assert shrunk.after == ("cpu:0",)
    assert job.state == "stopped"


def test_unloading_takes_the_magic_away(shell: Any) -> None:
    unload_ipython_extension(shell)

    assert shell.find_line_magic("vflow") is None


def test_devices_are_named(shell: Any) -> None:
    assert "cpu:0" in shell.run_line_magic("vflow", "devices")
