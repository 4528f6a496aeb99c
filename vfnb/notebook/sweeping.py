"""The verb `sweep`: a task over batches, seeds and further values, shown live."""

from argparse import ArgumentTypeError, Namespace
from ast import literal_eval
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError

from vfnb.notebook.flow import VFlow
from vfnb.notebook.starting import devices_in
from vfnb.spec import Options

if TYPE_CHECKING:
    from vfnb.session import Sweep

_TRY = "try: %vflow sweep task --batches 32,512,4096 --seeds 5 --epochs 3"


def sweep(flow: VFlow, given: Namespace) -> "Sweep":
    """Begin a sweep, or go on with it; without a task, show the newest, or stop it.

    Args:
        flow: Knows the variables, and remembers the sweep.
        given: The word is a task, or a function that makes one.

    Returns:
        The sweep, which shows itself.

    Raises:
        UsageError: If something is missing.
    """
    if not given.words:
        return _newest(flow, given)
    if given.batches is None:
        raise UsageError(f"sweep needs --batches; {_TRY}")
    from vfnb.session import sweep as begin

    options = None if given.options is None else flow.named(given.options, Options, "give a vfnb.Options(...)")
    made: Any = flow.named(given.words[0], object, "give a vfnb.Task, or a function that makes one")
    flow.sweep = begin(
        made,
        batches=given.batches,
        seeds=range(3) if given.seeds is None else given.seeds,
        grid=dict(given.grid or ()),
        epochs=1 if given.epochs is None and given.steps is None else given.epochs,
        steps=given.steps,
        target=given.target,
        devices=devices_in(flow, given.on),
        at_once=1 if given.at_once is None else given.at_once,
        name="sweep" if given.name is None else given.name,
        options=options,
    )
    return flow.sweep


def _newest(flow: VFlow, given: Namespace) -> "Sweep":
    if flow.sweep is None:
        raise UsageError(f"no sweep was begun here; {_TRY}")
    if given.stop:
        flow.sweep.stop()
    return flow.sweep


def numbers(text: str) -> list[int]:
    """Read whole numbers.

    Args:
        text: Joined by commas.

    Returns:
        The numbers.

    Raises:
        ArgumentTypeError: If one is none.
    """
    try:
        return [int(word) for word in text.replace("_", "").split(",")]
    except ValueError:
        raise ArgumentTypeError(f"{text!r} are no whole numbers; write such as 32,512,4096") from None


def seeds(text: str) -> list[int]:
    """Read seeds.

    Args:
        text: One number for so many seeds from 0, or several joined by commas for exactly these.

    Returns:
        The seeds.
    """
    found = numbers(text)
    return list(range(found[0])) if len(found) == 1 else found


def axes(text: str) -> dict[str, list[Any]]:
    """Read further values.

    Args:
        text: Such as "lr=0.1,0.2" or "lr=0.1,0.2;rule=True,False".

    Returns:
        The values by name.

    Raises:
        ArgumentTypeError: If it is written otherwise.
    """
    found = {}
    for axis in text.split(";"):
        name, equals, values = axis.partition("=")
        if not (name and equals and values):
            raise ArgumentTypeError(f"{text!r} names no values; write such as lr=0.1,0.2")
        found[name.strip()] = [_value(value) for value in values.split(",")]
    return found


def target(text: str) -> tuple[str, float]:
    """Read a target.

    Args:
        text: Such as "accuracy=0.8".

    Returns:
        The metric and its value.

    Raises:
        ArgumentTypeError: If it is written otherwise.
    """
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no metric and value; write such as accuracy=0.8") from None


def _value(text: str) -> Any:
    """Read a number or a truth value; any other word stands for itself."""
    try:
        value = literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    return value if isinstance(value, bool | int | float) else text
