"""A notebook's kernel is interrupted, restarted, shut down, killed: what goes on, and that nothing outlives it."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from jobs import until
from kernels import Notebook
from processes import descendants, left_after

METHODS = ["forkserver", "spawn"]
ENDS: dict[str, Callable[[Notebook], None]] = {
    "restart": Notebook.restart,
    "shutdown": lambda notebook: notebook.manager.shutdown_kernel(),
    "SIGKILL": lambda notebook: os.kill(notebook.pid, signal.SIGKILL),  # it alone, as one short of memory is killed
}


@pytest.mark.parametrize("method", METHODS)
def test_an_interrupt_ends_the_cell_and_not_the_job(method: str, tmp_path: Path) -> None:
    with Notebook(tmp_path) as notebook:
        notebook.run(f"job = begun({method!r})")
        rows = _rows(tmp_path)
        spinning = notebook.enter("print('here', flush=True)\nwhile True: pass")
        notebook.printed(spinning)
        notebook.manager.interrupt_kernel()
        assert "KeyboardInterrupt" in notebook.end(spinning)

        waiting = notebook.enter("print('here', flush=True)\njob.wait()")
        notebook.printed(waiting)
        _trains_on(rows)  # by then the cell does wait
        notebook.manager.interrupt_kernel()
        assert "is still running; job.stop() ends it" in notebook.end(waiting)

        _trains_on(rows)
        assert notebook.run("print('WorkerLost' in str(job.events))") == "False\n"


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("method", METHODS)
def test_nothing_that_a_job_started_outlives_its_kernel(method: str, end: str, tmp_path: Path) -> None:
    with Notebook(tmp_path) as notebook:
        pids = notebook.run(f"job = begun({method!r}, loader_workers=2)\nprint(*[one.pid for one in job.workers])")
        family = descendants(notebook.pid)
        assert {int(pid) for pid in pids.split()} < {one.pid for one in family}
        assert len(family) >= 2 + 2 * 2

        ENDS[end](notebook)

        assert left_after(20, family) == []


@pytest.mark.parametrize("method", METHODS)
def test_nothing_outlives_a_killed_kernel_whose_sockets_another_child_holds_open(method: str, tmp_path: Path) -> None:
    fork = "import os\npid = os.fork() or time.sleep(300)\nprint(pid)"  # as a DataLoader's workers in the kernel are
    with Notebook(tmp_path) as notebook:
        notebook.run(f"job = begun({method!r})")
        holder = int(notebook.run(fork))
        family = [one for one in descendants(notebook.pid) if one.pid != holder]
        assert len(family) >= 2

        os.kill(notebook.pid, signal.SIGKILL)

        try:
            assert left_after(20, family) == []
        finally:
            os.kill(holder, signal.SIGKILL)


@pytest.mark.parametrize("method", METHODS)
def test_two_jobs_share_a_kernel_and_neither_starts_twice(method: str, tmp_path: Path) -> None:
    with Notebook(tmp_path) as notebook:
        notebook.run(f"first, second = begun({method!r}, workers=1), begun({method!r}, workers=1)")
        again = notebook.run("first.start()")
        assert "StateError: job 'run-0' was started already and is running; make a new Job" in again
        notebook.run("first.stop()\nfirst.wait()")
        steps = int(notebook.run("print(len(second.history))"))
        until(lambda: int(notebook.run("print(len(second.history))")) > steps)
        assert notebook.run("print(first.state, second.state)").split() == ["stopped", "running"]


def _rows(folder: Path) -> Path:
    return folder / "run-0" / "steps.jsonl"


def _trains_on(rows: Path, steps: int = 5) -> None:
    before = rows.read_text().count("\n")
    until(lambda: rows.read_text().count("\n") >= before + steps)


@pytest.mark.parametrize("method", METHODS)
def test_a_kernel_that_is_shut_down_leaves_no_private_folder(method: str, tmp_path: Path) -> None:
    with Notebook(tmp_path) as notebook:
        private = Path(notebook.run(f"job = begun({method!r}, workers=1)\nprint(job._learned.run._private)").strip())
        assert private.is_dir()

        notebook.manager.shutdown_kernel()

        until(lambda: not private.exists())
