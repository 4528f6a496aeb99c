"""Execute notebooks from the shell and keep what they show: for `make demo` and the notebook tests."""

import argparse
import os
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent


def execute(source: Path, into: Path, timeout: int) -> tuple[nbformat.NotebookNode, Path]:
    """Execute a notebook beside its own file and write the executed copy, without widget state.

    Args:
        source: The notebook.
        into: The folder that takes the executed copy; made when missing.
        timeout: The seconds that one cell may take.

    Returns:
        The executed notebook and where it lies.
    """
    notebook = nbformat.read(source, as_version=4)
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
        The exit status: 1 when a table was asked for and there is none.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="+", type=Path)
    parser.add_argument("--into", type=Path, default=ROOT / "build", help="folder for the executed copies")
    parser.add_argument("--timeout", type=int, default=600, help="seconds a cell may take")
    parser.add_argument("--table", action="store_true", help="print the last table that the notebook shows")
    arguments = parser.parse_args()
    # The kernel starts in the notebook's folder; the package is found there whether or not it is installed.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))

    status = 0
    for source in arguments.notebooks:
        start = time.monotonic()
        notebook, target = execute(source, arguments.into, arguments.timeout)
        table = last_table(notebook)
        if arguments.table:
            print(table or f"{source} shows no table.")
            status = status or int(table is None)
        print(f"{source}: executed in {time.monotonic() - start:.0f} s; see {target}")
    return status


if __name__ == "__main__":
    sys.exit(main())
