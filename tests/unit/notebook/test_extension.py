"""Loading is light, unloading takes everything away but the runs, and what a browser cannot do is refused."""

import subprocess
import sys
from typing import Any

import pytest
from IPython.core.completer import provisionalcompleter
from shells import MAGICS

import vfnb
from vfnb.ground import check_platform

HEAVY = ("torch", "pandas", "accelerate", "torchmetrics", "ipywidgets", "anywidget", "plotly", "tqdm")


def in_a_process(code: str, folder: Any = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False, timeout=100
    )


def completed(shell: Any, line: str) -> list[str]:
    with provisionalcompleter():
        return [one.text for one in shell.Completer.completions(line, len(line))]


def test_loading_the_extension_and_asking_it_for_help_loads_no_heavy_library() -> None:
    code = f"""
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
before = set(sys.modules)
shell.run_line_magic("load_ext", "vfnb")
shell.run_line_magic("vflow", "")
shell.run_line_magic("vflow", "target 64xV100 --batch 512")
shell.complete("%vflow target 64xV1", "%vflow target 64xV1", 19)
print("loaded", *sorted(set({HEAVY!r}) & (set(sys.modules) - before)))
"""

    done = in_a_process(code)

    assert done.stdout.splitlines()[-1:] == ["loaded"], done.stderr


def test_unloading_takes_the_magic_its_completion_and_its_defaults_away(shell: Any) -> None:
    flow = shell.magics_manager.registry[MAGICS].flow

    vfnb.unload_ipython_extension(shell)

    assert shell.find_line_magic("vflow") is None
    assert shell.find_cell_magic("vflow") is None
    assert flow not in shell.configurables
    assert "resize" not in completed(shell, "%vflow resi")


def test_reloading_keeps_the_target_and_offers_each_verb_once(shell: Any) -> None:
    shell.run_line_magic("vflow", "target 8xV100 --batch 32")

    vfnb.unload_ipython_extension(shell)
    shell.run_line_magic("reload_ext", "vfnb")
    shell.run_line_magic("reload_ext", "vfnb")

    assert shell.magics_manager.registry[MAGICS].flow.target.count == 8
    assert completed(shell, "%vflow resi").count("resize") == 1
    assert [type(one).__name__ for one in shell.configurables].count("VFlow") == 1


def test_a_browser_is_refused_in_one_sentence() -> None:
    with pytest.raises(ImportError) as caught:
        check_platform("emscripten")

    assert "JupyterLite" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32", sys.platform])
def test_other_platforms_are_let_in(platform: str) -> None:
    check_platform(platform)


TASK = """
import sys, torch
from functools import partial
from importlib.abc import MetaPathFinder
from torch import nn

class Missing(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in {"ipywidgets", "anywidget", "plotly"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
torch.set_num_threads(1)
import vfnb
data = torch.utils.data.TensorDataset(torch.randn(64, 2), torch.arange(64) % 2)
task = vfnb.Task(nn.Linear(2, 2), data, nn.CrossEntropyLoss(), partial(torch.optim.SGD, lr=0.1))
"""
IN_A_TERMINAL = """
from IPython.terminal.interactiveshell import TerminalInteractiveShell
shell = TerminalInteractiveShell.instance()
shell.user_ns["task"] = task
shell.run_cell("%load_ext vfnb").raise_error()
shell.run_cell("%vflow target 8xV100 --batch 32").raise_error()
shell.run_cell("job = %vflow run task --on 1 --steps 5 --name plain").raise_error()
job = shell.user_ns["job"]
"""
IN_A_SCRIPT = """
job = vfnb.Job(task, vfnb.VirtualCluster.parse("8xV100", global_batch=32), devices=1, steps=5, name="plain")
job.start()
from vfnb.notebook import follow
follow(job)
"""
END = """
import threading
job.wait(timeout=60)
for thread in threading.enumerate():
    if thread is not threading.current_thread() and thread.name.startswith("vfnb"):
        thread.join(10)
print(job, set(sys.modules) & {"ipywidgets", "anywidget", "plotly"})
"""


@pytest.mark.parametrize("front_end", [IN_A_TERMINAL, IN_A_SCRIPT], ids=["terminal", "script"])
def test_without_widgets_a_line_of_text_shows_the_run(front_end: str, tmp_path: Any) -> None:
    done = in_a_process(TASK + front_end + END, tmp_path)

    assert done.returncode == 0, done.stderr
    assert "<Job 'plain', done: step 5 of 5" in done.stdout
    assert done.stdout.rstrip().endswith("set()")
    assert "plain: 100%" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
