"""Execute notebooks from the shell, in what a reader has: for `make demo`, `make notebooks` and the notebook tests."""

import argparse
import os
import sys
import threading
import time
from pathlib import Path
from typing import Self

import nbformat
import psutil
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent


_SECONDS, _BYTES = 180, 1_000_000_000  # what a reader's machine has for a notebook's live form, on one core
_LARGEST = 200_000  # bytes of a notebook in the repository
_LIVE, _FULL = "FULL = False", "FULL = True"  # what the first line of a notebook that has two forms says


def execute(source: Path, into: Path, timeout: int, *, full: bool) -> tuple[nbformat.NotebookNode, Path]:
    """Execute a notebook beside its own file and write the executed copy, without widget state.

    Args:
        source: The notebook.
        into: The folder that takes the executed copy; made when missing.
        timeout: The seconds that one cell may take.
        full: The form with more seeds, whose results are kept; a notebook without one is executed as it is.

    Returns:
        The executed notebook and where it lies.
    """
    notebook = nbformat.read(source, as_version=4)
    if full:
        for cell in notebook.cells:
            cell.source = cell.source.replace(_LIVE, _FULL)
    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        store_widget_state=False,
        resources={"metadata": {"path": str(source.parent)}},
        extra_arguments=["--IPKernelApp.log_level=40"],  # its warnings are of the kernel, not of the notebook
    )
    into.mkdir(parents=True, exist_ok=True)
    target = into / f"{source.stem}.executed.ipynb"
    try:
        client.execute()
    finally:  # a failed run is kept too: its last output says what went wrong
        nbformat.write(notebook, target)
    return notebook, target


def keep(executed: nbformat.NotebookNode, source: Path) -> None:
    """Put what an executed notebook shows into its source, so that it is read without a kernel.

    Args:
        executed: The notebook with its outputs, in the live form.
        source: Its file.

    Raises:
        ValueError: If the notebook would be too large to be read quickly.
    """
    for cell in executed.cells:
        cell.metadata.pop("execution", None)  # times of day, which differ at every execution
    text = nbformat.writes(executed)
    if len(text.encode()) >= _LARGEST:
        raise ValueError(f"{source.name} would have {len(text.encode()):,} bytes, at most {_LARGEST:,} are kept")
    source.write_text(f"{text}\n", encoding="utf-8")


class Memory:
    """The most memory that this process's descendants held at once, shared pages counted once (PSS), in bytes."""

    def __init__(self) -> None:
        self.peak = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.5):
            self.peak = max(self.peak, sum(map(_held, psutil.Process().children(recursive=True))))


def _held(process: psutil.Process) -> int:
    try:
        full = process.memory_full_info()
    except psutil.Error:
        return 0  # it ended meanwhile
    return int(getattr(full, "pss", full.uss))


def last_table(notebook: nbformat.NotebookNode) -> str | None:
    """Find the text of the last output that is shown as a table.

    Args:
        notebook: An executed notebook.

    Returns:
        The table as text, or None where no cell shows one.
    """
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    for output in reversed(outputs):
        data = output.get("data", {})
        if "<table" in data.get("text/html", "") and "text/plain" in data:
            return str(data["text/plain"])
    return None


def main() -> int:
    """Execute the notebooks named on the command line, one after another.

    Returns:
        The exit status: 1 when a table was asked for and there is none, or a limit was passed.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="+", type=Path)
    parser.add_argument("--into", type=Path, default=ROOT / "build", help="folder for the executed copies")
    parser.add_argument("--timeout", type=int, default=600, help="seconds a cell may take")
    parser.add_argument("--full", action="store_true", help="with all seeds; writes the results that are kept")
    parser.add_argument("--keep", action="store_true", help="keep in the notebook itself what it shows")
    parser.add_argument("--limits", action="store_true", help=f"on one core; fails above {_SECONDS} s or 1 GB")
    parser.add_argument("--table", action="store_true", help="print the last table that the notebook shows")
    arguments = parser.parse_args()
    # The kernel starts in the notebook's folder; the package is found there whether or not it is installed.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))

    if arguments.limits and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    status = 0
    for source in arguments.notebooks:
        start = time.monotonic()
        with Memory() as memory:
            notebook, target = execute(source, arguments.into, arguments.timeout, full=arguments.full)
        seconds = time.monotonic() - start
        if arguments.keep:
            keep(notebook, source)
        if arguments.table:
            table = last_table(notebook)
            print(table or f"{source} shows no table.")
            status = status or int(table is None)
        print(f"{source}: executed in {seconds:.0f} s with at most {memory.peak / 1e6:,.0f} MB; see {target}")
        if arguments.limits and (seconds > _SECONDS or memory.peak > _BYTES):
            print(f"{source} is over the limits of {_SECONDS} s on one core and {_BYTES / 1e6:,.0f} MB.")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
