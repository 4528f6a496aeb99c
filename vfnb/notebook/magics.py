"""The `%vflow` magic: a verb a line, thin over `Job`; a user's mistake is one line, never a traceback."""

import argparse
import shlex
from collections.abc import Callable
from typing import Any, NoReturn

import pandas as pd
from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class

from vfnb.ground import VfnbError
from vfnb.notebook.live import follow
from vfnb.session import Job, Task, devices, runs
from vfnb.spec import VirtualCluster

_FIRST = {
    "target": "target 1024xTPUv3 --batch 32768   choose the cluster to stand in for",
    "run": "run task --on 2 --epochs 3        train on it here, in the background",
    "resize": "resize 4                          go on with other devices, while it trains",
    "status": "status                            where the run stands",
    "stop": "stop                              end at the next step",
}
_OTHERS = {
    "pause": "pause                             hold at the next step",
    "resume": "resume                            go on",
    "map": "map 0:48 1:16                     virtual nodes by worker",
    "devices": "devices                           what this machine has",
    "runs": "runs                              what was run from this folder",
}
VERBS = (*_FIRST, *_OTHERS)
_FLAGS = (
    "--batch",
    "--on",
    "--epochs",
    "--steps",
    "--seed",
    "--name",
    "--model",
    "--data",
    "--loss",
    "--optimizer",
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"%vflow {self.prog}: {message}")


@magics_class
class FlowMagics(Magics):
    """Holds the target that was chosen and the newest run."""

    shell: Any  # there is one wherever a magic runs
    target: VirtualCluster | None = None
    job: Job | None = None

    @line_cell_magic
    def vflow(self, line: str, cell: str | None = None) -> Any:
        """Train the run of a large cluster on the devices you have.

        %vflow target 1024xTPUv3 --batch 32768
        %vflow run task --on 2 --epochs 3
        %vflow resize 4 | pause | resume | map 0:48 1:16 | status | stop | devices | runs

        As a cell magic, `%%vflow run ...` runs the cell first and takes its names.

        Args:
            line: A verb and its words.
            cell: The cell's body, as a cell magic.

        Returns:
            The run, where the verb is about one.

        Raises:
            UsageError: If the line asks for what there is not; one sentence says what there is.
        """
        verb, *rest = shlex.split(line) or ["help"]
        if verb in ("help", "-h", "--help"):
            print("\n".join(f"%vflow {text}" for text in (*_FIRST.values(), *_OTHERS.values())))  # noqa: T201  # its answer
            return None
        if verb not in VERBS:
            raise UsageError(f"%vflow has no verb {verb!r}; it has {', '.join(VERBS)}")
        if cell is not None:
            self.shell.run_cell(cell).raise_error()
        verbs: dict[str, Callable[[list[str]], Any]] = {name: getattr(self, f"_{name}") for name in VERBS}
        try:
            return verbs[verb](rest)
        except VfnbError as error:
            raise UsageError(str(error)) from None

    def _target(self, words: list[str]) -> VirtualCluster:
        parser = _Parser(prog="target", add_help=False)
        parser.add_argument("cluster", nargs="+")
        parser.add_argument("--batch", type=int, required=True)
        given = parser.parse_args(words)
        self.target = VirtualCluster.parse(" ".join(given.cluster), global_batch=given.batch)
        return self.target

    def _run(self, words: list[str]) -> Job:
        parser = _Parser(prog="run", add_help=False)
        parser.add_argument("task", nargs="?")
        for flag in ("--on", "--name", "--model", "--data", "--loss", "--optimizer"):
            parser.add_argument(flag)
        for flag, kind in (("--epochs", int), ("--steps", int), ("--seed", int)):
            parser.add_argument(flag, type=kind)
        given = parser.parse_args(words)
        if self.target is None:
            raise UsageError("no target is chosen; begin with: %vflow target 64xV100 --batch 512")
        epochs = given.epochs if given.epochs or given.steps else 1
        job = Job(
            self._task(given),
            self.target,
            devices=_on(given.on),
            seed=given.seed or 0,
            epochs=epochs,
            steps=given.steps,
            name=given.name,
        )
        job.start()
        self.job = job
        self.shell.user_ns[given.name or "job"] = job
        follow(job)
        return job

    def _task(self, given: argparse.Namespace) -> Task:
        if given.task is not None:
            found = self._named(given.task)
            if not isinstance(found, Task):
                raise UsageError(f"{given.task} is a {type(found).__name__}; give a vfnb.Task")
            return found
        names = {"model": given.model, "train": given.data, "loss": given.loss, "optimizer": given.optimizer}
        missing = [name for name, value in names.items() if value is None]
        if missing:
            raise UsageError(f"run needs a task, or --model --data --loss --optimizer; missing: {', '.join(missing)}")
        return Task(**{name: self._named(value) for name, value in names.items()})

    def _named(self, name: str) -> Any:
        if name not in self.shell.user_ns:
            raise UsageError(f"nothing here is named {name!r}; define it in a cell first")
        return self.shell.user_ns[name]

    def _running(self) -> Job:
        if self.job is None:
            raise UsageError("no run was started here; begin with: %vflow run task --on 2")
        return self.job

    def _resize(self, words: list[str]) -> Any:
        if not words:
            raise UsageError("resize to what? Try: %vflow resize 4")
        wanted = _on(words[0]) if len(words) == 1 else words
        return self._running().resize(wanted)

    def _map(self, words: list[str]) -> Any:
        try:
            counts = {int(worker): int(nodes) for worker, nodes in (word.split(":") for word in words)}
        except ValueError:
            raise UsageError(f"map {' '.join(words)} is not worker:nodes pairs; try: %vflow map 0:48 1:16") from None
        return self._running().map(counts)

    def _status(self, words: list[str]) -> Job:
        del words
        return self._running()

    def _stop(self, words: list[str]) -> None:
        del words
        self._running().stop()

    def _pause(self, words: list[str]) -> None:
        del words
        self._running().pause()

    def _resume(self, words: list[str]) -> None:
        del words
        self._running().resume()

    def _devices(self, words: list[str]) -> tuple[str, ...]:
        del words
        return tuple(str(device) for device in devices())

    def _runs(self, words: list[str]) -> pd.DataFrame:
        return runs(*words)


def complete_flow(shell: Any, event: Any) -> list[str]:
    """Offer verbs, then flags and names.

    Args:
        shell: IPython's.
        event: What is being completed.

    Returns:
        What fits.
    """
    words = event.line.split()
    first = len(words) <= 1 or (len(words) == 2 and not event.line.endswith(" "))
    offers = VERBS if first else (*_FLAGS, *(name for name in shell.user_ns if not name.startswith("_")))
    return [offer for offer in offers if offer.startswith(event.symbol)]


def _on(text: str | None) -> Any:
    if text is None:
        return None
    return int(text) if text.lstrip("-").isdigit() else text.split(",")
