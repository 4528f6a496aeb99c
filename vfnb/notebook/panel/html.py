"""The panel's words as HTML: pure functions from what is drawn to markup, everything of the user's escaped."""

from collections.abc import Sequence
from html import escape

from vfnb.notebook.panel import words
from vfnb.notebook.panel.pictures import COLOURS
from vfnb.notebook.panel.scene import Head, Notice
from vfnb.runtime import Worker


def name(text: str) -> str:
    """Write the job's name.

    Args:
        text: The name.

    Returns:
        Markup.
    """
    return f'<span class="vfnb-name">{escape(text)}</span>'


def state(word: str, said: str) -> str:
    """Write where the job stands; a screen reader says it when it changes.

    Args:
        word: As the job has it.
        said: In words.

    Returns:
        Markup.
    """
    return f'<span role="status" class="vfnb-state vfnb-{word}">{escape(said)}</span>'


def facts(head: Head, workers: Sequence[Worker]) -> str:
    """Write what is trained on what.

    Args:
        head: What is said above the plot.
        workers: The live ones.

    Returns:
        Markup.
    """
    here = f"<b>{words.count(len(workers), 'worker')}</b> here: {escape(head.here)}" if workers else "no workers here"
    return f'<div class="vfnb-facts"><b>{escape(head.target)}</b> · {here}</div>'


def progress(head: Head) -> str:
    """Write how far the job is.

    Args:
        head: What is said above the plot.

    Returns:
        Markup.
    """
    percent = f"{100 * head.done:.1f}"
    return (
        f'<div class="vfnb-bar" role="progressbar" aria-label="steps done" aria-valuemin="0" aria-valuemax="100" '
        f'aria-valuenow="{percent}"><div style="width:{percent}%"></div></div>'
        f'<div class="vfnb-facts vfnb-progress">{escape(head.progress)}</div>'
    )


def said(text: str) -> str:
    """Write a remark.

    Args:
        text: The remark.

    Returns:
        Markup.
    """
    return f'<span class="vfnb-said">{escape(text)}</span>'


def notices(found: Sequence[Notice]) -> str:
    """Write what is to be read; errors are announced.

    Args:
        found: The oldest first.

    Returns:
        Markup; nothing where there is nothing.
    """
    return "".join(
        f'<div class="vfnb-notice vfnb-{one.kind}"{_ALERT if one.kind == "error" else ""}>{escape(one.text)}</div>'
        for one in found
    )


_ALERT = ' role="alert"'


def legend(workers: Sequence[Worker]) -> str:
    """Name the colours of the virtual nodes.

    Args:
        workers: In the order of ids.

    Returns:
        Markup.
    """
    entries = "".join(
        f'<span><i style="background:{COLOURS[place % len(COLOURS)]}"></i>w{one.id} on {escape(str(one.device))}: '
        f"{words.count(one.virtual_nodes, 'virtual node')}</span>"
        for place, one in enumerate(workers)
    )
    return f'<div class="vfnb-legend">{entries}</div>'


def log(lines: Sequence[str]) -> str:
    """Write the workers' output.

    Args:
        lines: The oldest first.

    Returns:
        Markup that stays at its end.
    """
    text = escape("\n".join(reversed(lines))) if lines else "the workers have printed nothing yet"
    return f'<pre class="vfnb-log" tabindex="0" aria-label="output of workers, the newest line first">{text}</pre>'


def fingerprint(digits: str, notes: Sequence[str]) -> str:
    """Write a fingerprint and what stands against it.

    Args:
        digits: All of them; empty where it was not asked for yet.
        notes: Why another run may have another.

    Returns:
        Markup.
    """
    shown = f'<span class="vfnb-print">{digits}</span>' if digits else said("not read yet: it takes a step's time")
    return shown + "".join(f'<div class="vfnb-notice vfnb-warning">{escape(note)}</div>' for note in notes)
