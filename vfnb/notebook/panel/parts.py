"""The small widgets that panels are laid out of; each control has a name and a tooltip."""

from collections.abc import Callable
from typing import Any

import ipywidgets as w


def button(label: str, tooltip: str, act: Callable[[], None], *, style: str = "", width: str = "") -> Any:
    """Make a button.

    Args:
        label: On it.
        tooltip: What it does, in a sentence.
        act: Called on a click; must not wait.
        style: One of ipywidgets', such as "danger".
        width: In CSS; as wide as its label without.

    Returns:
        The widget.
    """
    made = w.Button(description=label, tooltip=tooltip, button_style=style, layout={"width": width or "auto"})
    made.on_click(lambda _: act())
    return made


def text(markup: str = "", *classes: str) -> Any:
    """Make a piece of HTML.

    Args:
        markup: At first.
        *classes: For the style.

    Returns:
        The widget; its `value` is the markup.
    """
    made = w.HTML(markup)
    for one in classes:
        made.add_class(one)
    return made


def row(*children: Any) -> Any:
    """Lay widgets side by side; they go on in the next line where there is no room.

    Args:
        *children: From the left.

    Returns:
        The widget.
    """
    made = w.HBox(list(children))
    made.add_class("vfnb-row")
    return made


def gap() -> Any:
    """Make an empty piece that takes what room there is.

    Returns:
        The widget.
    """
    return text("", "vfnb-grow")
