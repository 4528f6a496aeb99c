"""The two small widgets with a script of their own: the picture of virtual nodes, and a button that copies."""

from collections.abc import Mapping as Table
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from vfnb.notebook.panel import words
from vfnb.runtime import Sign
from vfnb.spec import Mapping

_HERE = Path(__file__).parent
# Told apart by people who see colours otherwise; workers beyond the last begin anew, their legend names them.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#888888")


class NodePicture(anywidget.AnyWidget):
    """Virtual nodes as squares, coloured by worker."""

    _esm = _HERE / "nodes.js"
    owners: Any = traitlets.Bytes(b"").tag(sync=True)
    colours: Any = traitlets.List(list(COLOURS)).tag(sync=True)
    busy: Any = traitlets.List([]).tag(sync=True)
    label: Any = traitlets.Unicode("").tag(sync=True)

    def draw(self, mapping: Mapping | None, activity: Table[int, Sign]) -> None:
        """Bring the picture up to date; what has not changed is not sent again.

        Args:
            mapping: Virtual nodes to workers; None draws nothing.
            activity: What each worker does right now.
        """
        with self.hold_sync():
            self.owners = owners(mapping)
            self.busy = busy(mapping, activity)
            self.label = label(mapping)


class CopyButton(anywidget.AnyWidget):
    """A button that copies a text."""

    _esm = _HERE / "copy.js"
    text: Any = traitlets.Unicode("").tag(sync=True)
    hint: Any = traitlets.Unicode("").tag(sync=True)


def owners(mapping: Mapping | None) -> bytes:
    """Say whose each virtual node is.

    Args:
        mapping: Virtual nodes to workers.

    Returns:
        A 16-bit number a node: its worker's place in the order of ids.
    """
    if mapping is None:
        return b""
    of_block = np.zeros(mapping.layout.blocks, dtype="<u2")
    for place, (_, owned) in enumerate(mapping.blocks):
        of_block[list(owned)] = place
    return bytes(np.repeat(of_block, mapping.layout.sizes).tobytes())


def busy(mapping: Mapping | None, activity: Table[int, Sign]) -> list[int]:
    """Say which virtual node each worker computes right now.

    Args:
        mapping: Virtual nodes to workers.
        activity: What each does.

    Returns:
        A node for each worker, in the order of ids; -1 where it computes none.
    """
    if mapping is None:
        return []
    signs = [activity.get(worker) for worker in mapping.workers]
    return [sign.node if sign is not None and sign.phase == "compute" else -1 for sign in signs]


def label(mapping: Mapping | None) -> str:
    """Say in words what the picture shows.

    Args:
        mapping: Virtual nodes to workers.

    Returns:
        A sentence.
    """
    if mapping is None:
        return "no virtual nodes are on workers"
    shares = ", ".join(f"worker {worker} has {count:,}" for worker, count in mapping.counts.items())
    return f"{words.count(mapping.layout.nodes, 'virtual node')}: {shares}"
