"""The magic in an in-process IPython shell: verbs, and one line for a mistake."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from IPython.core.error import UsageError
from IPython.testing.globalipapp import start_ipython
from jobs import SAMPLES
from torch import nn

import vfnb
from vfnb.notebook.magics import complete_flow


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


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("fly", "no verb 'fly'"),
        ("target 8xV1000 --batch 8", "V1000"),
        ("target 8xV100", "--batch"),
        ("run task --on 1", "no target"),
        ("resize 2", "no run was started"),
        ("map 0-3", "worker:nodes"),
    ],
)
def test_a_mistake_is_one_line(line: str, sentence: str, shell: Any) -> None:
    with pytest.raises(UsageError, match=sentence):
        shell.run_line_magic("vflow", line)


def test_the_cell_magic_takes_the_cells_names(shell: Any) -> None:
    shell.run_line_magic("vflow", "target 8xV100 --batch 32")
    shell.run_cell_magic("vflow", "run copied --on 1 --steps 2 --name celled", "copied = task")
    shell.user_ns["celled"].wait(timeout=60)

    assert shell.user_ns["celled"].state == "done"


def test_tab_completes_verbs(shell: Any) -> None:
    event = SimpleNamespace(line="%vflow re", symbol="re")

    assert complete_flow(shell, event) == ["resize", "resume"]
