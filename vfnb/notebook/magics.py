"""The `%vflow` magic: a verb a line, thin over `Job`; a user's mistake is one line, never a traceback."""

import argparse
import shlex
from collections.abc import Callable
from typing import Any, TypeVar

import pandas as pd
from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments

from vfnb.ground import VfnbError
from vfnb.notebook.live import follow
from vfnb.notebook.verbs import FLAGS, HELP, VERBS, WORDS
from vfnb.runtime import devices
from vfnb.session import Handle, Job, Task, runs
from vfnb.spec import VirtualCluster

_F = TypeVar("_F", bound=Callable[..., Any])
# Which of IPython's decorators are typed depends on its version.
_arguments: Callable[[], Callable[[_F], _F]] = magic_arguments
_argument: Callable[..., Callable[[_F], _F]] = argument


@magics_class
class FlowMagics(Magics):
    """Holds the target that was chosen and the newest run."""

    shell: Any  # there is one wherever a magic runs
    target: VirtualCluster | None = None
    job: Job | None = None

    @line_cell_magic
    @_arguments()
    @_argument("verb", nargs="?", default="help", help="What to do; bare %%vflow lists the verbs.")
    @_argument("words", nargs="*", help="What the verb is about: a cluster, a task, devices, worker:nodes pairs.")
    @_argument("--batch", type=int, help="target: the global batch, over all virtual nodes.")
    @_argument("--on", help="run: a number of devices, or names such as cpu:0,cpu:1; without it all of the best kind.")
    @_argument("--epochs", type=int, help="run: how often to go through the data; 1 without --steps.")
    @_argument("--steps", type=int, help="run: the last step, in place of --epochs.")
    @_argument("--seed", type=int, default=0, help="run: of every random stream; 0 without it.")
    @_argument("--name", help="run: the run's name, under which the notebook has it too; else it has `job`.")
    @_argument("--model", help="run: without a task, the name of the model ...")
    @_argument("--data", help="run: ... of the training data ...")
    @_argument("--loss", help="run: ... of the loss ...")
    @_argument("--optimizer", help="run: ... and of the optimizer.")
    @_argument("-h", "--help", action="store_true", help="List the verbs.")
    def vflow(self, line: str, cell: str | None = None) -> Any:
        """Train the run of a large cluster on the devices you have.

        ::

            %vflow target 1024xTPUv3 --batch 32768
            %vflow run task --on 2 --epochs 3
            %vflow resize 4
            %vflow status

        As a cell magic, `%%vflow run ...` runs the cell first and takes its names.
        """
        given = self._given(line)
        if given.help or given.verb == "help":
            print(HELP)  # noqa: T201  # its answer
            return None
        if cell is not None:
            self.shell.run_cell(cell).raise_error()
        return self._done(given)

    def _given(self, line: str) -> argparse.Namespace:
        magic: Any = type(self).vflow  # IPython gives it its parser
        try:
            words = shlex.split(line)
            # Intermixed: `run --on 2 task` means what `run task --on 2` does.
            given: argparse.Namespace = magic.parser.parse_intermixed_args(words)
        except ValueError as error:
            raise UsageError(f"%vflow {line}: {error}") from None
        if not given.help and given.verb != "help":
            _refuse_what_the_verb_does_not_take(given, words)
        return given

    def _done(self, given: argparse.Namespace) -> Any:
        verbs: dict[str, Callable[[argparse.Namespace], Any]] = {name: getattr(self, f"_{name}") for name in VERBS}
        try:
            return verbs[given.verb](given)
        except VfnbError as error:
            raise UsageError(str(error)) from None

    def _target(self, given: argparse.Namespace) -> VirtualCluster:
        if not given.words or given.batch is None:
            raise UsageError("target needs a cluster and its --batch; try: %vflow target 1024xTPUv3 --batch 32768")
        self.target = VirtualCluster.parse(" ".join(given.words), global_batch=given.batch)
        return self.target

    def _run(self, given: argparse.Namespace) -> Job:
        if self.target is None:
            raise UsageError("no target is chosen; begin with: %vflow target 64xV100 --batch 512")
        job = Job(
            self._task(given),
            self.target,
            devices=_on(given.on),
            seed=given.seed,
            epochs=1 if given.epochs is None and given.steps is None else given.epochs,
            steps=given.steps,
            name=given.name,
        )
        job.start()
        self.job = job
        self.shell.user_ns[given.name or "job"] = job
        follow(job)
        return job

    def _task(self, given: argparse.Namespace) -> Task:
        if given.words:
            (name,) = given.words
            found = self._named(name)
            if not isinstance(found, Task):
                raise UsageError(f"{name} is a {type(found).__name__}; give a vfnb.Task")
            return found
        names = {"model": given.model, "train": given.data, "loss": given.loss, "optimizer": given.optimizer}
        missing = [flag for flag in ("--model", "--data", "--loss", "--optimizer") if getattr(given, flag[2:]) is None]
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

    def _resize(self, given: argparse.Namespace) -> Handle:
        if not given.words:
            raise UsageError("resize to what? Try: %vflow resize 4")
        return self._running().resize(_on(",".join(given.words)))

    def _map(self, given: argparse.Namespace) -> Handle:
        pairs = " ".join(given.words)
        try:
            counts = {int(worker): int(nodes) for worker, nodes in (word.split(":") for word in given.words)}
        except ValueError:
            raise UsageError(f"map {pairs} is not worker:nodes pairs; try: %vflow map 0:48 1:16") from None
        if len(counts) < max(1, len(given.words)):
            raise UsageError(f"map {pairs} needs each worker once; try: %vflow map 0:48 1:16")
        return self._running().map(counts)

    def _status(self, _: argparse.Namespace) -> Job:
        return self._running()

    def _stop(self, _: argparse.Namespace) -> None:
        self._running().stop()

    def _pause(self, _: argparse.Namespace) -> None:
        self._running().pause()

    def _resume(self, _: argparse.Namespace) -> None:
        self._running().resume()

    def _devices(self, _: argparse.Namespace) -> tuple[str, ...]:
        return tuple(str(device) for device in devices())

    def _runs(self, given: argparse.Namespace) -> pd.DataFrame:
        return runs(*given.words)


def _refuse_what_the_verb_does_not_take(given: argparse.Namespace, words: list[str]) -> None:
    verb = given.verb
    if verb not in VERBS:
        raise UsageError(f"%vflow has no verb {verb!r}; it has {', '.join(VERBS)}")
    takes = FLAGS.get(verb, ())
    for word in words:
        flag = word.split("=")[0]
        # argparse takes a flag's beginning for the flag.
        if flag.startswith("--") and not any(known.startswith(flag) for known in takes):
            raise UsageError(f"{verb} takes no {flag}; it takes {', '.join(takes) or 'no flags'}")
    most = WORDS.get(verb, 0)
    if most is not None and len(given.words) > most:
        raise UsageError(f"{verb} takes no {given.words[most]!r}")


def _on(text: str | None) -> Any:
    if text is None:
        return None
    return int(text) if text.lstrip("-").isdigit() else text.split(",")
