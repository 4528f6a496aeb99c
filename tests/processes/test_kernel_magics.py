"""The magic in a kernel of its own, as a notebook has it: Tab, assignment, and a run that outlives its kernel."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

import vfnb

PATHS = [str(Path(__file__).parents[1] / "support"), str(Path(vfnb.__file__).parents[1])]
SETUP = f"""
import sys
sys.path[:0] = {PATHS!r}
import torch
torch.set_num_threads(1)
from shells import small_task
import vfnb
task = small_task()
%load_ext vfnb
%vflow target 8xV100 --batch 32
"""


class Kernel:
    """A kernel, and what a cell of it shows."""

    def __init__(self, folder: Path) -> None:
        self.manager = KernelManager(kernel_name="python3", shutdown_wait_time=10)
        self.manager.start_kernel(cwd=str(folder))
        self.client: BlockingKernelClient = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(self, code: str) -> list[dict[str, Any]]:
        """Run a cell; give the contents of its outputs, each with its kind."""
        outputs: list[dict[str, Any]] = []
        reply = self.client.execute_interactive(
            code,
            timeout=100,
            output_hook=lambda message: outputs.append(message["content"] | {"kind": message["msg_type"]}),
        )
        assert reply["content"]["status"] == "ok", reply["content"]
        return outputs

    def printed(self, code: str) -> str:
        """Run a cell; give what it printed."""
        return "".join(one["text"] for one in self.run(code) if one["kind"] == "stream" and one["name"] == "stdout")

    def completed(self, line: str) -> list[str]:
        """Press Tab at a line's end; give the lines that may come of it."""
        reply = self.client.complete(line, len(line), reply=True, timeout=60)["content"]
        return [line[: reply["cursor_start"]] + match for match in reply["matches"]]

    def end(self) -> None:
        """Kill it, as a machine without memory does."""
        self.client.stop_channels()
        if self.manager.has_kernel:
            self.manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    """Give a kernel with a task and a target."""
    one = Kernel(tmp_path)
    try:
        one.run(SETUP)
        yield one
    finally:
        one.end()


def test_tab_completes_whatever_stands_there(kernel: Kernel) -> None:
    kernel.run("%vflow run task --on 1 --steps 1000000 --name mine")

    assert "%vflow resize" in kernel.completed("%vflow res")
    assert "%%vflow run" in kernel.completed("%%vflow ru")
    assert "job = %vflow run" in kernel.completed("job = %vflow ru")
    assert "%vflow run task" in kernel.completed("%vflow run ta")
    assert "%vflow run task --epochs" in kernel.completed("%vflow run task --ep")
    assert "%vflow target 1024xTPUv3" in kernel.completed("%vflow target 1024xTPUv")
    assert "%vflow stop mine" in kernel.completed("%vflow stop m")
    assert "%vflow resize cpu:0" in kernel.completed("%vflow resize cp")
    assert "%vflow resize cpu:0" in kernel.completed("%vflow resize cpu:")
    assert "%vflow run task --on cpu:3,cpu:0" in kernel.completed("%vflow run task --on cpu:3,c")


def test_a_run_is_shown_once_and_returned_to_an_assignment(kernel: Kernel) -> None:
    alone = kernel.run("%vflow run task --on 1 --steps 5 --name alone")
    assigned = kernel.run("job = %vflow run task --on 1 --steps 5 --seed 1 --name assigned")
    said = kernel.printed("alone.wait(); job.wait(); print(alone.state, job.state, job is assigned)")

    assert said.split() == ["done", "done", "True"]
    for shown in (alone, assigned):
        assert shown != []
        assert [one for one in shown if one["kind"] == "execute_result"] == []
    # Later cells show it as they show anything.
    assert {one["kind"] for one in kernel.run("job")} & {"execute_result", "display_data"}


def test_a_run_goes_on_after_its_kernel_was_killed(kernel: Kernel, tmp_path: Path) -> None:
    kernel.run("%vflow run task --on 2 --steps 300 --name first")
    kernel.run("""
import threading
while first.step < 1:
    threading.Event().wait(0.01)
%vflow pause
while first.state != "paused":
    threading.Event().wait(0.01)
""")
    kernel.end()

    again = Kernel(tmp_path)
    try:
        again.run(SETUP)
        said = again.printed("second = %vflow run task --on 1 --resume")
        told = again.printed("""
second.wait(timeout=90)
whole = vfnb.Job(task, vfnb.VirtualCluster.parse("8xV100", global_batch=32), steps=300, engine="inline")
whole.start()
print(second.state, second.history.step.iloc[0] > 1, second.fingerprint == whole.fingerprint)
""")
    finally:
        again.end()

    assert "going on from step " in said
    assert " of 300 of run 'first', as run " in said
    assert told.split() == ["done", "True", "True"]
