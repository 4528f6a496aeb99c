"""The verbs of `%vflow`: an entry each, with all that it takes, what Tab offers for it, and its help."""

from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vfnb.notebook import looking, offers, papers, planning, pooling, starting, steering, sweeping
from vfnb.notebook.flow import VFlow
from vfnb.notebook.offers import Offers


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no whole number; write one such as 3") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no number; write one such as 5") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A flag of a verb.

    Attributes:
        about: What it is for.
        value: What stands behind it, in help; "" for a switch, in brackets where it may be left out.
        read: Reads the value.
        offers: What Tab offers for the value.
    """

    about: str
    value: str = ""
    read: Callable[[str], Any] = str
    offers: Offers = offers.nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """What one word behind `%vflow` does.

    Attributes:
        example: How it is written, without `%vflow`.
        about: What it does.
        handler: Does it; what it returns is the magic's value.
        words: The most words it takes; None is any number.
        flags: By name.
        offers: What Tab offers for its words.
    """

    example: str
    about: str
    handler: Callable[[VFlow, Namespace], Any]
    words: int | None = 0
    flags: Mapping[str, Flag] = field(default_factory=dict)
    offers: Offers = offers.nothing


_WHICH = {"--name": Flag(about="which run; the newest without it", value="RUN", offers=offers.runs)}
VERBS = {
    "target": Verb(
        example="target 1024xTPUv3 --batch 32768",
        about="choose the cluster to stand in for",
        handler=starting.target,
        words=None,
        flags={
            "--batch": Flag(about="the global batch, over all virtual nodes", value="N", read=_whole),
            "--of": Flag(
                about="estimate this run there: a task, or a known model such as bert-large",
                value="TASK",
                offers=offers.estimated,
            ),
            "--epochs": Flag(about="how long the estimated run is", value="N", read=_whole),
            "--steps": Flag(about="its steps, in place of --epochs", value="N", read=_whole),
            "--chart": Flag(about="draw its time against the number of devices, too"),
        },
        offers=offers.clusters,
    ),
    "run": Verb(
        example="run task --on 2 --epochs 3",
        about="train on it here, in the background",
        handler=starting.run,
        words=1,
        flags={
            "--on": Flag(
                about="a number of devices, or names such as cpu:0,cpu:1; all of the best kind without it",
                value="DEVICES",
                offers=offers.devices,
            ),
            "--epochs": Flag(about="how often to go through the data; 1 without --steps", value="N", read=_whole),
            "--steps": Flag(about="the last step, in place of --epochs", value="N", read=_whole),
            "--seed": Flag(about="of every random stream; 0 without it", value="N", read=_whole),
            "--options": Flag(about="a variable with vfnb.Options(...)", value="NAME", offers=offers.options),
            "--name": Flag(about="the run's name, and that of a variable for it", value="NAME"),
            "--replace": Flag(about="stop the run that trains first"),
            "--resume": Flag(
                about="go on from a run that ended early; the newest of the task without a name",
                value="[RUN]",
                offers=offers.left,
            ),
            "--model": Flag(about="in place of a task: a variable with the model,", value="NAME", offers=offers.names),
            "--data": Flag(about="one with the training data,", value="NAME", offers=offers.names),
            "--loss": Flag(about="one with the loss,", value="NAME", offers=offers.names),
            "--optimizer": Flag(about="and one with the optimizer", value="NAME", offers=offers.names),
        },
        offers=offers.tasks,
    ),
    "resize": Verb(
        example="resize 4",
        about="go on with other devices, while it trains",
        handler=steering.resize,
        words=None,
        flags=_WHICH,
        offers=offers.devices,
    ),
    "status": Verb(example="status", about="where the run stands", handler=looking.status, words=1, offers=offers.runs),
    "stop": Verb(
        example="stop",
        about="end at the next step; a second time, at once",
        handler=steering.stop,
        words=1,
        offers=offers.live,
    ),
    "pause": Verb(example="pause", about="hold at the next step", handler=steering.pause, words=1, offers=offers.live),
    "resume": Verb(example="resume", about="go on after a pause", handler=steering.resume, words=1, offers=offers.live),
    "map": Verb(
        example="map 0:48 1:16",
        about="virtual nodes by worker; map solve: by measured speed",
        handler=steering.remap,
        words=None,
        flags=_WHICH,
        offers=offers.mappings,
    ),
    "plan": Verb(
        example="plan task --on 2",
        about="measure here, and choose how many virtual nodes a pass",
        handler=planning.plan,
        words=1,
        flags={
            "--on": Flag(about="devices, as for run", value="DEVICES", offers=offers.devices),
            "--options": Flag(about="a variable with vfnb.Options(...)", value="NAME", offers=offers.options),
        },
        offers=offers.tasks,
    ),
    "sweep": Verb(
        example="sweep task --batches 32,512 --seeds 5 --epochs 3",
        about="train at every batch and seed; again, go on; without a task, show it",
        handler=sweeping.sweep,
        words=1,
        flags={
            "--batches": Flag(about="global batches, joined by commas", value="N,N", read=sweeping.numbers),
            "--seeds": Flag(about="how many, or which, joined by commas; 3 without it", value="N", read=sweeping.seeds),
            "--grid": Flag(
                about="further values that the task's function takes", value="lr=0.1,0.2", read=sweeping.axes
            ),
            "--epochs": Flag(about="of each run; 1 without --steps", value="N", read=_whole),
            "--steps": Flag(about="of each run, in place of --epochs", value="N", read=_whole),
            "--target": Flag(about="count the steps to it", value="accuracy=0.8", read=sweeping.target),
            "--on": Flag(about="devices, as for run", value="DEVICES", offers=offers.devices),
            "--at-once": Flag(
                about="runs side by side, on the devices shared out; 1 without it", value="N", read=_whole
            ),
            "--options": Flag(about="a variable with vfnb.Options(...)", value="NAME", offers=offers.options),
            "--name": Flag(about="the sweep's, a folder below vfnb-runs; sweep without it", value="NAME"),
            "--stop": Flag(about="end the newest sweep; the same call goes on with it"),
        },
        offers=offers.names,
    ),
    "pool": Verb(
        example="pool --on 4",
        about="devices that jobs share; see who has which",
        handler=pooling.pool,
        flags={
            "--on": Flag(about="devices, as for run", value="DEVICES", offers=offers.devices),
            "--policy": Flag(about="who decides; wfs without it", value="NAME", offers=offers.policies),
        },
    ),
    "submit": Verb(
        example="submit task --on 2 --priority 8",
        about="let a task, or a job that is not started, into the pool",
        handler=pooling.submit,
        words=1,
        flags={
            "--priority": Flag(about="its weight, 5 without it; more is more urgent", value="N", read=_number),
            "--on": Flag(about="the most devices that it takes, as for run", value="DEVICES", offers=offers.devices),
            "--epochs": Flag(about="as for run", value="N", read=_whole),
            "--steps": Flag(about="as for run", value="N", read=_whole),
            "--seed": Flag(about="as for run", value="N", read=_whole),
            "--options": Flag(about="as for run", value="NAME", offers=offers.options),
            "--name": Flag(about="as for run", value="NAME"),
        },
        offers=offers.submitted,
    ),
    "show": Verb(
        example="show", about="show the run's live output here", handler=looking.show, words=1, offers=offers.runs
    ),
    "compare": Verb(
        example="compare first second",
        about="overlay runs, and find where their bits differ",
        handler=looking.compare,
        words=None,
        offers=offers.runs,
    ),
    "paper": Verb(
        example="paper lamb-bert-32k",
        about="a published experiment: its results, its recipe, and how to run it here",
        handler=papers.paper,
        words=1,
        offers=offers.recipes,
    ),
    "devices": Verb(example="devices", about="what this machine has", handler=looking.devices),
    "runs": Verb(example="runs", about="what was run from this folder", handler=looking.runs, words=1),
}
_NEWCOMERS = 5


def overview() -> str:
    """List the verbs, those that a newcomer needs first.

    Returns:
        A line a verb.
    """
    width = max(len(verb.example) for verb in VERBS.values()) + 3
    lines = [f"%vflow {verb.example:{width}}{verb.about}" for verb in VERBS.values()]
    more = "%vflow VERB --help says what a verb takes"
    return "\n".join([*lines[:_NEWCOMERS], "", *lines[_NEWCOMERS:], "", more])


def manual(name: str) -> str:
    """Say what a verb does and takes.

    Args:
        name: The verb's.

    Returns:
        A line, then one a flag.
    """
    verb = VERBS[name]
    flags = {f"{flag} {one.value}".strip(): one.about for flag, one in verb.flags.items()}
    width = max(map(len, flags), default=0) + 3
    return "\n".join([f"%vflow {verb.example}   {verb.about}", *(f"  {flag:{width}}{flags[flag]}" for flag in flags)])
