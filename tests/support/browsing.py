"""A real JupyterLab in a real browser, for tests: one server with folders of its own, a notebook a test."""

import ast
import json
import os
import secrets
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import nbformat

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},  # what is scrolled away stays in the page
}
_READY = """async () => {
  const app = window.jupyterapp;
  if (!app) return false;
  await app.restored;
  const panel = app.shell.currentWidget;
  const kernel = panel?.context?.sessionContext?.session?.kernel;
  return kernel?.status === "idle";
}"""

# anywidget gives a widget's script two seconds to load, whatever else the machine does; that is its business and not
# what these tests ask, and four trainings and two browsers on two cores need longer now and then.
_PATIENT = """
const timeout = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = milliseconds => timeout(Math.max(milliseconds, 30_000));
"""


@contextmanager
def lab_server(home: Path) -> Iterator[tuple[str, Path]]:
    """Run a server on a free port; gives its address with the token, and the folder that it serves."""
    folder, token = home / "notebooks", secrets.token_hex(8)
    folder.mkdir(parents=True)
    settings = home / "config" / "lab" / "user-settings"
    for name, value in _SETTINGS.items():
        path = settings / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(value), encoding="utf-8")
    environ = os.environ | {
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),  # kernels are found beside the interpreter
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.port=0"]
    command += [f"--IdentityProvider.token={token}", "--LabApp.expose_app_in_browser=True"]
    command += [f"--ServerApp.root_dir={folder}", "--ServerApp.ip=127.0.0.1"]
    with (home / "server.log").open("wb") as log:
        process = subprocess.Popen(command, env=environ, cwd=folder, stdout=log, stderr=log)
        try:
            yield _address(home / "runtime", process, token), folder
        finally:
            process.terminate()
            process.wait(timeout=30)


def _address(runtime: Path, process: "subprocess.Popen[bytes]", token: str) -> str:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        for path in runtime.glob(f"jpserver-{process.pid}.json"):
            try:
                url = json.loads(path.read_text(encoding="utf-8"))["url"]
                urlopen(f"{url}api?token={token}").close()
            except (ValueError, URLError, OSError):
                continue
            # A workspace a folder: a shared one would open the notebooks of other tests again.
            return f"{url}lab/workspaces/FOLDER/tree/FOLDER/test.ipynb?token={token}"
        process_waits(0.1)
    raise AssertionError(f"JupyterLab did not start; see {runtime.parent / 'server.log'}")


def write_notebook(path: Path, *cells: str) -> None:
    """Write a notebook whose kernel is known, so that no dialog asks for it."""
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(made, path)


def process_waits(seconds: float) -> None:
    """Let others work for a moment between two looks at a condition."""
    threading.Event().wait(seconds)


def browser_path() -> str:
    """Find Chromium; tests that need it are skipped where there is none."""
    return next(found for found in map(shutil.which, BROWSERS) if found)


class Page:
    """A notebook, open in the browser."""

    def __init__(self, page: Any, path: Path) -> None:
        self.page, self.path = page, path
        self.errors: list[str] = []
        page.add_init_script(_PATIENT)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: dialog.accept())

    @property
    def panel(self) -> Any:
        """The first panel in the page."""
        return self.page.locator(".vfnb-panel").first

    @property
    def status(self) -> str:
        """What the first panel says of its job's state."""
        return str(self.panel.get_by_role("status").inner_text())

    def button(self, name: str) -> Any:
        """Find a button of the first panel."""
        return self.panel.get_by_role("button", name=name, exact=True)

    def fold(self, name: str) -> None:
        """Fold out, or in, a part of the first panel."""
        self.panel.locator(".jupyter-widget-Collapse-header", has_text=name).click()

    def ask(self, expression: str) -> Any:
        """Evaluate an expression in the kernel; its value must be a literal."""
        found = self.page.evaluate(
            """async expression => {
              const kernel = window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel;
              const asked = {code: "", silent: true, user_expressions: {found: `repr((${expression}))`}};
              return (await kernel.requestExecute(asked).done).content.user_expressions.found;
            }""",
            expression,
        )
        assert found["status"] == "ok", found
        return ast.literal_eval(ast.literal_eval(found["data"]["text/plain"]))

    def ready(self) -> None:
        """Wait until the application and the kernel are there."""
        self.until(lambda: self.page.evaluate(_READY), "JupyterLab and its kernel are ready", within=60)

    def run(self, cell: int, *, wait: bool = True) -> None:
        """Run a cell by its place; without `wait` it is only begun."""
        self.page.evaluate(
            """async ([cell, wait]) => {
              const app = window.jupyterapp, panel = app.shell.currentWidget;
              panel.content.activeCellIndex = cell;
              const done = app.commands.execute("notebook:run-cell");
              if (wait) await done;
            }""",
            [cell, wait],
        )

    def end_kernel(self) -> None:
        """Have the kernel shut down, without waiting for it."""
        self.page.evaluate("() => { window.jupyterapp.serviceManager.sessions.shutdownAll(); }")
        self.page.wait_for_timeout(50)  # the request is on its way

    def restart_kernel(self) -> None:
        """Have the kernel restarted, and wait for the next one."""
        self.page.evaluate(
            "async () => await window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel.restart()"
        )

    def do(self, command: str) -> None:
        """Carry out one of the application's commands."""
        self.page.evaluate("name => window.jupyterapp.commands.execute(name)", command)

    def save(self) -> Any:
        """Save the notebook, and read the file."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
        return nbformat.read(self.path, as_version=4)

    def places(self, trace: str, plot: int = 0) -> list[float]:
        """Give where a trace's points stand on the axis, as the page has them."""
        found = self.page.evaluate(
            """([trace, plot]) => {
              const element = document.querySelectorAll(".js-plotly-plot")[plot];
              const found = element?.data?.find(one => one.meta === trace);
              return found ? Array.from(found.x ?? []) : [];
            }""",
            [trace, plot],
        )
        return list(found)

    def until(self, condition: Any, what: str, within: float = 30) -> Any:
        """Look again and again until something holds."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            if found := condition():
                return found
            self.page.wait_for_timeout(50)
        raise AssertionError(f"not within {within} s: {what}; page errors: {self.errors}")
